import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { limitConcurrency } from './limit-concurrency.js';

describe('limitConcurrency', () => {
  it('lets everybody else have a turn between two reads that were asked for at once', async () => {
    const order: string[] = [];
    const reads = ['a', 'b', 'c'].map((name) => limitConcurrency(() => Promise.resolve(order.push(name))));
    const others = (async () => {
      for (let turn = 0; turn < 4; turn += 1) {
        await setImmediate();
        order.push('-');
      }
    })();
    await Promise.all([...reads, others]);
    expect(order.join('')).toMatch(/^-?a-+b-+c-*$/);
  });

  it('has at most eight under way, gives what they give, and goes on after one that failed', async () => {
    let underWay = 0;
    let most = 0;
    const reads = Array.from({ length: 30 }, (_, index) =>
      limitConcurrency(async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        for (let turn = 0; turn < 20; turn += 1) await setImmediate();
        underWay -= 1;
        if (index % 3 === 0) throw new Error(`read ${index}`);
        return index;
      }),
    );
    const told = await Promise.allSettled(reads);
    expect(most).toBe(8);
    expect(told.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(told[29]).toEqual({ status: 'fulfilled', value: 29 });
  });
});
