/**
 * @file Correction for many comparisons: Holm 1979, "A simple sequentially rejective multiple test procedure". Adjusted
 * values below α are rejected with a chance of at most α for even one false rejection among all.
 */

/** Adjusts the p-values of one family, in their order. */
export function adjustHolm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length);
  let largest = 0;
  order.forEach(({ p, index }, rank) => {
    largest = Math.max(largest, Math.min(1, p * (order.length - rank)));
    adjusted[index] = largest;
  });
  return adjusted;
}
