/** First and last byte, from 0, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a `range` header with one range; any other is ignored, so that the full file is sent.
 *
 * @returns undefined: the full file; null: the range is outside of the file
 */
export function parseByteRange(header: string | undefined, bytes: number): ByteRange | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Math.min(Number(to), bytes);
    return length === 0 ? null : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(from);
  const end = Math.min(to === '' ? bytes - 1 : Number(to), bytes - 1);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= bytes ? null : { start, end };
}
