/** First and last byte, from 0, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `range` header with one range; what it is not is answered with the whole file.
 *
 * @returns undefined: the whole; null: nothing of the file lies in the range
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
