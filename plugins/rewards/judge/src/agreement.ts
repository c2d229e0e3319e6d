/** @file How far judges agree: with themselves over samples, and one with another. */

/** Share of pairs of samples that gave the same score; 1 for one sample. */
export function pairwiseAgreement(scores: readonly number[]): number {
  let pairs = 0;
  let same = 0;
  for (let a = 0; a < scores.length; a++)
    for (let b = a + 1; b < scores.length; b++) {
      pairs++;
      if (scores[a] === scores[b]) same++;
    }
  return pairs === 0 ? 1 : same / pairs;
}

/** Scores of two judges for one episode. */
export type Pair = readonly [first: number, second: number];

/**
 * Cohen's kappa: agreement beyond that of chance (Cohen 1960, "A coefficient of agreement for nominal scales", eq. 1);
 * undefined where chance alone agrees always.
 */
export function cohenKappa(pairs: readonly Pair[]): number | undefined {
  const first = new Map<number, number>();
  const second = new Map<number, number>();
  let same = 0;
  for (const [a, b] of pairs) {
    first.set(a, (first.get(a) ?? 0) + 1);
    second.set(b, (second.get(b) ?? 0) + 1);
    if (a === b) same++;
  }
  const { length } = pairs;
  let chance = 0;
  for (const [score, count] of first) chance += (count * (second.get(score) ?? 0)) / length ** 2;
  return length === 0 || chance === 1 ? undefined : (same / length - chance) / (1 - chance);
}

/** Pearson's correlation; undefined where a judge always says the same. */
export function correlation(pairs: readonly Pair[]): number | undefined {
  const { length } = pairs;
  if (length < 2) return undefined;
  const meanOf = (side: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[side], 0) / length;
  const [a, b] = [meanOf(0), meanOf(1)];
  let together = 0;
  let left = 0;
  let right = 0;
  for (const [x, y] of pairs) {
    together += (x - a) * (y - b);
    left += (x - a) ** 2;
    right += (y - b) ** 2;
  }
  return left === 0 || right === 0 ? undefined : together / Math.sqrt(left * right);
}
