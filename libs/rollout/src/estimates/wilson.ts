/** @file The interval of a single rate. */

/**
 * Estimates the 95 % interval of a probability from `successes` in `n` trials; `[0, 1]` for n = 0.
 * @see Wilson 1927, Journal of the American Statistical Association 22
 */
export function wilsonInterval(
  successes: number,
  n: number,
): { readonly low: number; readonly high: number } {
  if (n === 0) return { low: 0, high: 1 };
  const z = 1.959963984540054;
  const p = successes / n;
  const scale = 1 + (z * z) / n;
  const center = (p + (z * z) / (2 * n)) / scale;
  const half = (z / scale) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return {
    low: successes === 0 ? 0 : Math.max(0, center - half),
    high: successes === n ? 1 : Math.min(1, center + half),
  };
}
