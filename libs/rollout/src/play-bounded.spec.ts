import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { playBounded } from './play-bounded.js';

describe('playBounded', () => {
  it('has no more under way than it may, and gives what came of each in order', async () => {
    let underWay = 0;
    let most = 0;
    const play = async (index: number): Promise<number> => {
      most = Math.max(most, (underWay += 1));
      // the first take longest
      for (let turn = 0; turn < 20 - index; turn += 1) await setImmediate();
      underWay -= 1;
      return index;
    };
    expect(await playBounded(20, 3, play)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(most).toBe(3);
  });

  it('begins no other after one has failed, or after a stop', async () => {
    const begun: number[] = [];
    const failing = async (index: number): Promise<void> => {
      begun.push(index);
      await setImmediate();
      if (index === 1) throw new Error('broken');
    };
    await expect(playBounded(50, 2, failing)).rejects.toThrow('broken');
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(begun.length).toBeLessThanOrEqual(3);

    const stop = new AbortController();
    const stopping = (index: number) => Promise.resolve(index === 4 ? stop.abort() : undefined);
    expect((await playBounded(50, 1, stopping, stop.signal)).length).toBe(5);
  });
});
