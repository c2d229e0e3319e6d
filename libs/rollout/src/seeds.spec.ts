import { splitOfSeed, stateSeedRanges } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { miniBatchSeed, rolloutSeeds, stateSeed } from './seeds.js';

const address = {
  runSeed: 1,
  split: 'train',
  environment: 'corridor',
  step: 1,
  promptsPerStep: 8,
  group: 0,
  index: 0,
  retry: 0,
  noiseSeed: 'per-trajectory',
} as const;

describe('stateSeed', () => {
  it('gives the splits disjoint ranges inside the 32-bit seeds', () => {
    const ranges = Object.values(stateSeedRanges).sort((a, b) => a.first - b.first);
    for (const [index, { first, count }] of ranges.entries()) {
      const next = ranges[index + 1]?.first ?? 2 ** 32;
      expect(first + count).toBeLessThanOrEqual(next);
    }
  });

  it('tells the split from the seed', () => {
    for (const split of ['train', 'validation', 'test'] as const) {
      const seed = stateSeed(split, 0, 7);
      expect(splitOfSeed(seed)).toEqual({ split, index: seed - stateSeedRanges[split].first });
    }
    for (const seed of [0, 122_999, 1_123_000, 3_000_000])
      expect(splitOfSeed(seed)).toEqual({ split: 'train', index: seed });
  });

  it('stays inside the range of its split for any run seed', () => {
    for (const split of ['train', 'validation', 'test'] as const) {
      const { first, count } = stateSeedRanges[split];
      for (const runSeed of [0, 1, 12345, 4294967295]) {
        for (const index of [0, 1, 999_999]) {
          const seed = stateSeed(split, runSeed, index);
          expect(seed).toBeGreaterThanOrEqual(first);
          expect(seed).toBeLessThan(first + count);
        }
      }
    }
  });

  it('gives every run the same validation states and its own training states', () => {
    expect([0, 1].map((index) => stateSeed('validation', 7, index))).toEqual([123_000, 123_001]);
    expect(stateSeed('validation', 8, 0)).toBe(123_000);
    expect(stateSeed('train', 7, 0)).not.toBe(stateSeed('train', 8, 0));
  });

  it('never repeats a training state within a run', () => {
    const seeds = Array.from({ length: 5000 }, (_, index) => stateSeed('train', 3, index));
    expect(new Set(seeds).size).toBe(5000);
  });

  it('refuses an index outside the range', () => {
    expect(() => stateSeed('validation', 0, 1_000_000)).toThrowError(/index 1000000/);
    expect(() => stateSeed('train', 0, -1)).toThrowError(/index -1/);
  });
});

describe('rolloutSeeds', () => {
  it('shares the state in a group and separates environment noise and sampling', () => {
    const one = rolloutSeeds(address);
    const two = rolloutSeeds({ ...address, index: 1 });
    expect(two.state).toBe(one.state);
    expect(new Set([one.noise, two.noise, one.sampling, two.sampling]).size).toBe(4);
  });

  it('shares environment noise with the state on demand', () => {
    const shared = rolloutSeeds({ ...address, noiseSeed: 'per-group' });
    expect(shared.noise).toBe(shared.state);
  });

  it('gives a replacement fresh environment noise and sampling at the same state', () => {
    const one = rolloutSeeds(address);
    const again = rolloutSeeds({ ...address, retry: 1 });
    expect(again.state).toBe(one.state);
    expect(again.noise).not.toBe(one.noise);
    expect(again.sampling).not.toBe(one.sampling);
  });

  it('starts the next iteration where the last one ended', () => {
    const last = rolloutSeeds({ ...address, group: 7 });
    const next = rolloutSeeds({ ...address, step: 2 });
    expect(next.state).toBe(last.state + 1);
  });

  it('begins training at step 1', () => {
    expect(rolloutSeeds(address).state).toBe(stateSeed('train', 1, 0));
    expect(() => rolloutSeeds({ ...address, step: 0 })).toThrowError(/index -8/);
  });

  it('derives the streams that recorded runs were made with', () => {
    expect(rolloutSeeds({ ...address, step: 3, group: 2, index: 1 })).toEqual({
      state: 4017204240,
      noise: 2293506818,
      sampling: 1616592691,
    });
    expect(miniBatchSeed(7, 3, 1)).toBe(1030940008);
  });

  it('repeats validation exactly, whatever run and step', () => {
    const validation = { ...address, split: 'validation', group: 5 } as const;
    expect(rolloutSeeds({ ...validation, runSeed: 99, step: 40 })).toEqual(rolloutSeeds(validation));
  });
});
