/** @file The lines of a packed file, one after the other, of bounded size: neither the file nor a line may fill the memory. */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line; of one that is too long only its beginning. */
export interface PackedLine {
  readonly text: string;
  readonly isWhole: boolean;
  /** bytes that it has, newline not counted */
  readonly bytes: number;
}

/** Bytes kept of a line that is too long, to know what it is about. */
const headBytes = 4096;
const newline = 10;

/**
 * Unpacks a file of any number of gzip members into its lines. Whoever stops early stops the reading.
 *
 * @param longest bytes of a line that is given whole
 * @param most bytes of all lines; beyond them it throws
 */
export async function* unpackLines(
  source: Readable,
  longest: number,
  most: number,
): AsyncGenerator<PackedLine> {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip);
  let [pieces, bytes, total] = [[] as Buffer[], 0, 0];
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= longest) pieces.push(piece);
    // a copy, so that nothing holds the rest
    else pieces = [Buffer.from(Buffer.concat([...pieces, piece]).subarray(0, headBytes))];
  };
  const take = (): PackedLine => {
    const line = { text: Buffer.concat(pieces).toString('utf8'), isWhole: bytes <= longest, bytes };
    [pieces, bytes] = [[], 0];
    return line;
  };
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > most) throw new Error(`it has more than ${most} bytes`);
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, end));
        yield take();
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
