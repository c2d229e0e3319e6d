/** @file The lines of a packed file, one after the other, of bounded size: neither the file nor a line may fill the memory. */
import { addAbortSignal, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line; of one that is too long only its beginning. */
export interface CompressedLine {
  readonly text: string;
  readonly isWhole: boolean;
  /** bytes that it has, newline not counted */
  readonly bytes: number;
}

/** What is read of a file at most. */
export interface LineLimits {
  /** bytes of a line that is given whole */
  readonly longest: number;
  /** bytes of the file, unpacked */
  readonly bytes: number;
  /** lines of the file, empty ones included */
  readonly lines: number;
}

/** A file beyond the limits. */
export class DecompressionLimitError extends Error {}

/** Bytes kept of a line that is too long, to know what it is about. */
export const headBytes = 4096;
const newline = 10;

/**
 * Unpacks a file of any number of gzip members into its lines. Whoever stops early stops the reading.
 *
 * Empty lines count and are not given.
 *
 * @param signal stops the reading, also of a source that has stalled
 * @throws DecompressionLimitError
 */
export async function* decompressLines(
  source: Readable,
  { longest, ...most }: LineLimits,
  signal: AbortSignal,
): AsyncGenerator<CompressedLine> {
  const gunzip = addAbortSignal(signal, createGunzip());
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  let [pieces, bytes, total, lines] = [[] as Buffer[], 0, 0, 0];
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= longest) pieces.push(piece);
    // a copy, so that nothing holds the rest
    else if (bytes - piece.length <= longest)
      pieces = [Buffer.from(Buffer.concat([...pieces, piece]).subarray(0, headBytes))];
  };
  const take = (): CompressedLine => {
    const line = { text: Buffer.concat(pieces).toString('utf8'), isWhole: bytes <= longest, bytes };
    [pieces, bytes] = [[], 0];
    return line;
  };
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > most.bytes)
        throw new DecompressionLimitError(`it unpacks to more than ${most.bytes} bytes`);
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        lines += 1;
        if (lines > most.lines) throw new DecompressionLimitError(`it has more than ${most.lines} lines`);
        if (end > from) add(chunk.subarray(from, end));
        if (bytes > 0) yield take();
        from = end + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
    }
    if (bytes > 0) yield take();
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** gzip, deflate, no flags, no time: as the trainer writes it */
const memberHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);

/** Drops everything before the first member that starts in a stream, or everything if none does. */
export function skipToGzipMember(): Transform {
  let buffered = Buffer.alloc(0);
  let isFound = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isFound) return done(null, chunk);
      buffered = Buffer.concat([buffered, chunk]);
      const at = buffered.indexOf(memberHeader);
      if (at >= 0) {
        isFound = true;
        this.push(buffered.subarray(at));
      }
      // what begins a member may lie across two pieces
      buffered =
        at >= 0 ? Buffer.alloc(0) : buffered.subarray(Math.max(0, buffered.length - memberHeader.length + 1));
      done();
    },
  });
}
