import type { CpuInfo } from 'node:os';
import { expect, it } from 'vitest';
import { openLoadMeter } from './processor-load.js';

/** Two processors; both have been idle for the same time, and one has worked. */
const processors = (idle: number, user: number): CpuInfo[] =>
  [user, 0].map((worked) => ({
    model: 'a processor',
    speed: 1,
    times: { user: worked, nice: 0, sys: 0, idle, irq: 0 },
  }));

it('gives the share of time that all processors worked since the last reading', () => {
  let now = processors(1000, 500);
  const load = openLoadMeter(() => now);
  expect(load()).toBeNull();
  // each was idle for another 300 ms, and one worked for another 400 ms
  now = processors(1300, 900);
  expect(load()).toBeCloseTo(0.4);
  // too soon for a new share
  now = processors(1310, 910);
  expect(load()).toBeCloseTo(0.4);
  now = processors(1810, 910);
  expect(load()).toBeCloseTo(0.01, 2);
});
