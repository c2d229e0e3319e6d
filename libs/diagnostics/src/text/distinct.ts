import { countNgrams } from './words.js';

/**
 * Estimates distinct-n: distinct n-grams / n-grams over all texts together.
 *
 * @returns 0 (all the same) to 1; NaN when no text has n words
 * @see Li et al. 2016, "A Diversity-Promoting Objective Function for Neural Conversation Models", section 5.2
 */
export function estimateDistinct(texts: readonly (readonly string[])[], n: number): number {
  const seen = new Set<string>();
  let total = 0;
  for (const words of texts)
    for (const [gram, count] of countNgrams(words, n)) {
      seen.add(gram);
      total += count;
    }
  return total === 0 ? Number.NaN : seen.size / total;
}
