/** @file Reads the lines of a compressed file with bounded memory, whatever the size of the file and of its lines. */
import { addAbortSignal, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line; of one that is too long only the start. */
export interface CompressedLine {
  readonly text: string;
  readonly isComplete: boolean;
  /** without the newline */
  readonly bytes: number;
}

/** Limits of a file. */
export interface LineLimits {
  /** bytes of a line that is returned completely */
  readonly lineBytes: number;
  /** bytes of the decompressed file */
  readonly bytes: number;
  /** lines of the file, empty ones included */
  readonly lines: number;
}

/** A file beyond the limits. */
export class DecompressionLimitError extends Error {}

/** Bytes of a line that is too long, which include the id of the trajectory. */
export const headBytes = 4096;
const newline = 10;

/**
 * Decompresses a file of any number of gzip members into its lines; empty ones are skipped. Reading stops when the
 * consumer stops.
 *
 * @param signal stops reading, even from a stalled source
 * @throws DecompressionLimitError
 */
export async function* decompressLines(
  source: Readable,
  limits: LineLimits,
  signal: AbortSignal,
): AsyncGenerator<CompressedLine> {
  const gunzip = addAbortSignal(signal, createGunzip());
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let total = 0;
  let lines = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= limits.lineBytes) pieces.push(piece);
    // a copy, so that the rest can be freed
    else if (bytes - piece.length <= limits.lineBytes)
      pieces = [Buffer.from(Buffer.concat([...pieces, piece]).subarray(0, headBytes))];
  };
  const take = (): CompressedLine => {
    const line = {
      text: Buffer.concat(pieces).toString('utf8'),
      isComplete: bytes <= limits.lineBytes,
      bytes,
    };
    pieces = [];
    bytes = 0;
    return line;
  };
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limits.bytes)
        throw new DecompressionLimitError(`it unpacks to more than ${limits.bytes} bytes`);
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        lines += 1;
        if (lines > limits.lines) throw new DecompressionLimitError(`it has more than ${limits.lines} lines`);
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

/** gzip, deflate, no flags, no time, as the trainer writes it */
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
      // a header may span two chunks
      buffered =
        at >= 0 ? Buffer.alloc(0) : buffered.subarray(Math.max(0, buffered.length - memberHeader.length + 1));
      done();
    },
  });
}
