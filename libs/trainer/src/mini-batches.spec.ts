import { describe, expect, it } from 'vitest';
import { listMiniBatches, splitEvenly } from './mini-batches.js';

const items = Array.from({ length: 23 }, (_, index) => index);
const options = { runSeed: 7, step: 3, epochs: 2, miniBatches: 4 };

describe('splitEvenly', () => {
  it('keeps order and lets sizes differ by at most one', () => {
    const parts = splitEvenly(items, 4);
    expect(parts.map((part) => part.length)).toEqual([5, 6, 6, 6]);
    expect(parts.flat()).toEqual(items);
  });

  it('makes no empty part', () => {
    expect(splitEvenly([1, 2], 5)).toEqual([[1], [2]]);
    expect(splitEvenly([], 5)).toEqual([]);
  });
});

describe('listMiniBatches', () => {
  it('covers every example once per epoch', () => {
    const batches = listMiniBatches(items, options);
    expect(batches).toHaveLength(8);
    for (const epoch of [0, 1]) {
      const seen = batches.filter((batch) => batch.epoch === epoch).flatMap((batch) => batch.examples);
      expect([...seen].sort((a, b) => a - b)).toEqual(items);
    }
  });

  it('is equal for equal seeds and differs between epochs, steps and runs', () => {
    const order = (change: Partial<typeof options>, epoch = 0) =>
      listMiniBatches(items, { ...options, ...change })
        .filter((batch) => batch.epoch === epoch)
        .flatMap((batch) => batch.examples)
        .join();
    expect(order({})).toBe(order({}));
    expect(new Set([order({}), order({}, 1), order({ step: 4 }), order({ runSeed: 8 })]).size).toBe(4);
    // the first critic learns with the policy, each other in an order of its own
    const ofCritic = (critic: number, change: object = {}) => order({ ...change, critic } as never);
    expect(ofCritic(0)).toBe(order({}));
    expect(new Set([order({}), ofCritic(1), ofCritic(2), ofCritic(1, { step: 4 })]).size).toBe(4);
    expect(ofCritic(1)).toBe(ofCritic(1));
  });
});
