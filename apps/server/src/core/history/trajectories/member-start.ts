/**
 * @file Finds where a member of a packed file begins, for who does not read from the beginning. The trainer packs whole
 * lines into each member (libs/recorder/src/trajectory-log.ts), so a line begins there, too.
 */
import { Transform } from 'node:stream';

/** gzip, deflate, no flags, no time: as the trainer writes it */
const begin = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);

/** Leaves out everything before the first member that begins in a stream; without one nothing is left. */
export function createMemberStart(): Transform {
  let held = Buffer.alloc(0);
  let isFound = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isFound) return done(null, chunk);
      held = Buffer.concat([held, chunk]);
      const at = held.indexOf(begin);
      if (at >= 0) {
        isFound = true;
        this.push(held.subarray(at));
      }
      // what begins a member may lie across two pieces
      held = at >= 0 ? Buffer.alloc(0) : held.subarray(Math.max(0, held.length - begin.length + 1));
      done();
    },
  });
}
