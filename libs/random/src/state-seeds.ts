/**
 * @file Which 32-bit state seeds belong to which split. The ranges are disjoint, so that splits share no state, whatever
 * the run's seed; environments with a list of tasks divide it by them.
 *
 *     validation   123 000 … 1 123 000 - 1
 *     test       2 000 000 … 3 000 000 - 1
 *     train      4 194 304 … 2^32 - 1        consecutive, from an offset derived from the run's seed
 */

/** The splits, as `Split` of the contracts. */
type SplitName = 'train' | 'validation' | 'test';

/** First state seed and number of state seeds of each split. */
export const stateSeedRanges = {
  validation: { first: 123_000, count: 1_000_000 },
  test: { first: 2_000_000, count: 1_000_000 },
  train: { first: 4_194_304, count: 2 ** 32 - 4_194_304 },
} as const satisfies Record<SplitName, { first: number; count: number }>;

/** Returns the split of a state seed, and its place within the split. Seeds that no split uses count as training. */
export function splitOfSeed(seed: number): { readonly split: SplitName; readonly index: number } {
  for (const split of ['validation', 'test', 'train'] as const) {
    const { first, count } = stateSeedRanges[split];
    if (seed >= first && seed < first + count) return { split, index: seed - first };
  }
  return { split: 'train', index: seed };
}
