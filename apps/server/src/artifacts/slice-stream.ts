import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.js';

/** Gives the bytes of a range of a stream; what follows is not read. */
export async function* sliceStream(source: Readable, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of source) {
    const chunk = piece as Buffer;
    const wanted = chunk.subarray(Math.max(0, start - at), end - at + 1);
    at += chunk.length;
    if (wanted.length > 0) yield wanted;
    if (at > end) return; // ends the source, too
  }
}
