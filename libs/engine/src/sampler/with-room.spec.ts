import { AppError, type ErrorCode } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { withRoom } from './with-room.js';

/** Work that fails so often with a code, and notes what happened. */
function failing(times: number, code: ErrorCode) {
  const events: string[] = [];
  let left = times;
  const run = (): void => {
    events.push('run');
    if (left === 0) return;
    left -= 1;
    throw new AppError(code, 'run session: no');
  };
  const makeRoom = async (): Promise<void> => void events.push('room');
  return { run, makeRoom, events };
}

describe('withRoom', () => {
  it('runs again once room was made', async () => {
    const { run, makeRoom, events } = failing(1, 'runtime.out_of_memory');
    await withRoom(makeRoom, run);
    expect(events).toEqual(['run', 'room', 'run']);
  });

  it('gives up when that was not enough', async () => {
    const { run, makeRoom, events } = failing(2, 'runtime.out_of_memory');
    await expect(withRoom(makeRoom, run)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    expect(events).toEqual(['run', 'room', 'run']);
  });

  it('does not repeat what failed for another reason, or where nothing can be freed', async () => {
    const other = failing(1, 'runtime.run_failed');
    await expect(withRoom(other.makeRoom, other.run)).rejects.toMatchObject({
      code: 'runtime.run_failed',
    });
    const full = failing(1, 'runtime.out_of_memory');
    await expect(withRoom(undefined, full.run)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    expect([...other.events, ...full.events]).toEqual(['run', 'run']);
  });
});
