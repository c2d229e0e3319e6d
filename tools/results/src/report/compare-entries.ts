/** @file Whether two entries differ: their final success over seeds, with an exact permutation test. */
import type { EntryResult } from '../collect/result.js';
import { interval, mean, points } from './numbers.js';

/** Formats the difference of final success, second − first, with its test. */
export function describeDifference(first: EntryResult, second: EntryResult): string {
  const [before, after] = [first, second].map(({ seeds }) => seeds.map(({ end }) => end.success));
  if (before === undefined || after === undefined) return '';
  const difference = mean(after) - mean(before);
  const head = `Final success of \`${second.name}\` minus \`${first.name}\`: ${points(difference)} points`;
  if (Math.min(before.length, after.length) >= 2) {
    const p = permutationTest(before, after);
    return `${head} (${after.length} and ${before.length} seeds, exact two-sided permutation test: p = ${p.toFixed(3)}).`;
  }
  const one = first.seeds[0]?.end;
  const other = second.seeds[0]?.end;
  if (before.length > 1 || after.length > 1 || one === undefined || other === undefined)
    return `${head}; one entry has a single seed, so there is no test.`;
  const low = difference - Math.hypot(other.success - other.low, one.high - one.success);
  const high = difference + Math.hypot(other.high - other.success, one.success - one.low);
  return `${head} ${interval({ low, high })} (one seed each: Newcombe's 95 % interval over states; the spread over seeds is unknown).`;
}

/**
 * Computes the share of all ways to divide the values into two groups of these sizes whose means differ at least as much.
 * With three seeds each the smallest possible value is 0.1.
 */
export function permutationTest(first: readonly number[], second: readonly number[]): number {
  const all = [...first, ...second];
  const total = all.reduce((sum, value) => sum + value, 0);
  const gap = (sum: number): number => Math.abs(sum / first.length - (total - sum) / second.length);
  const observed = gap(first.reduce((sum, value) => sum + value, 0));
  let count = 0;
  let extreme = 0;
  const choose = (next: number, left: number, sum: number): void => {
    if (left === 0) {
      count++;
      // equal divisions may differ in their last bits
      if (gap(sum) >= observed - 1e-12) extreme++;
      return;
    }
    for (let index = next; index <= all.length - left; index++)
      choose(index + 1, left - 1, sum + (all[index] ?? 0));
  };
  choose(0, first.length, 0);
  return extreme / count;
}
