import { type Clock, wallTime } from './episodes.js';

/**
 * Measures fixed integer arithmetic in plain JavaScript, the baseline for everything but model arithmetic.
 * @returns million loop turns per second, median of 5
 */
export function plainLoopRate(clock: Clock = wallTime): number {
  const rates: number[] = [];
  let state = 1;
  for (let round = 0; round < 8; round += 1) {
    const begin = clock();
    for (let turn = 0; turn < 20_000_000; turn += 1) state = (Math.imul(state, 1664525) + 1013904223) | 0;
    rates.push(20 / ((clock() - begin) / 1000));
  }
  if (state === 0) throw new Error('unreachable: keeps the loop alive');
  return rates.slice(3).sort((a, b) => a - b)[2] ?? Number.NaN;
}
