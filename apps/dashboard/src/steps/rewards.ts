/** @file How the rewards of some trajectories are spread: quantiles, and the bins of a histogram. Pure functions. */

/** Between the two values around it, in proportion (Hyndman & Fan 1996, definition 7). @param sorted ascending, not empty */
function quantileOf(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

export interface Quantiles {
  readonly p10: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly p90: number;
}

/** undefined: there is no value */
export function quantilesOf(values: readonly number[]): Quantiles | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const [p10, p25, median, p75, p90] = [0.1, 0.25, 0.5, 0.75, 0.9].map((share) => quantileOf(sorted, share));
  return { p10, p25, median, p75, p90 } as Quantiles;
}

/** Values that lie together. Both ends are values of it, so that "at least" and "at most" choose these and no others. */
export interface Bin {
  readonly least: number;
  readonly most: number;
  readonly count: number;
}

const mostBins = 16;

/** A bin for each value where few are distinct, else of equal widths; those without a value are left out. */
export function binsOf(values: readonly number[]): readonly Bin[] {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const isExact = new Set(sorted).size <= mostBins;
  const keyOf = (value: number): number =>
    isExact ? value : Math.min(mostBins - 1, Math.floor(((value - low) / (high - low)) * mostBins));
  const bins = new Map<number, Bin>();
  for (const value of sorted) {
    const known = bins.get(keyOf(value));
    const least = known?.least ?? value;
    bins.set(keyOf(value), { least, most: value, count: (known?.count ?? 0) + 1 });
  }
  return [...bins.values()];
}
