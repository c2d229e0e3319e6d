import { AppError, type ErrorCode } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { runWithRoom } from './run-with-room.js';

/** A session that fails so often with a code, and notes what happened. */
function failing(times: number, code: ErrorCode) {
  const events: string[] = [];
  let left = times;
  const session = {
    async run() {
      events.push('run');
      if (left > 0) {
        left -= 1;
        throw new AppError(code, 'run session: no');
      }
      return {};
    },
  };
  const makeRoom = async (): Promise<void> => void events.push('room');
  return { session, makeRoom, events };
}

describe('runWithRoom', () => {
  it('runs again once room was made', async () => {
    const { session, makeRoom, events } = failing(1, 'runtime.out_of_memory');
    await runWithRoom(session, {}, {}, makeRoom);
    expect(events).toEqual(['run', 'room', 'run']);
  });

  it('gives up when that was not enough', async () => {
    const { session, makeRoom, events } = failing(2, 'runtime.out_of_memory');
    await expect(runWithRoom(session, {}, {}, makeRoom)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    expect(events).toEqual(['run', 'room', 'run']);
  });

  it('does not repeat what failed for another reason, or where nothing can be freed', async () => {
    const other = failing(1, 'runtime.run_failed');
    await expect(runWithRoom(other.session, {}, {}, other.makeRoom)).rejects.toMatchObject({
      code: 'runtime.run_failed',
    });
    const full = failing(1, 'runtime.out_of_memory');
    await expect(runWithRoom(full.session, {}, {}, undefined)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    expect([...other.events, ...full.events]).toEqual(['run', 'run']);
  });
});
