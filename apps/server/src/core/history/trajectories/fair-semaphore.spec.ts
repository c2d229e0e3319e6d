import { describe, expect, it } from 'vitest';
import { FairSemaphore } from './fair-semaphore.js';

describe('FairSlots', () => {
  it('lets owners take turns and gives none of them all slots', async () => {
    const slots = new FairSemaphore(3, 2);
    const order: string[] = [];
    const held: (() => void)[] = [];
    const enter = async (owner: string): Promise<void> => {
      const leave = await slots.enter(owner);
      order.push(owner);
      held.push(leave);
    };
    const all = [...Array<string>(5).fill('greedy'), 'b', 'c', 'b'].map(enter);
    await new Promise(setImmediate);
    expect(order).toEqual(['greedy', 'greedy', 'b']);
    while (held.length > 0) {
      held.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all(all);
    expect(order.slice(3)).toEqual(['greedy', 'b', 'c', 'greedy', 'greedy']);
  });
});
