/**
 * @file Finds the start of a gzip member, for reading from the middle of a file. The trainer packs whole lines into
 * each member (libs/recorder/src/trajectory-log.ts), so a line begins there, too.
 */
import { Transform } from 'node:stream';

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
