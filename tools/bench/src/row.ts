/** One measured figure. `ratio` is value over baseline; both were taken in the same process. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline: { readonly name: string; readonly value: number };
  readonly ratio: number;
  /** what else was seen: peak memory, shares, shape */
  readonly notes?: string;
}

/** Options of an item. `short` only shows that it runs; its figures are rough. */
export interface BenchOptions {
  readonly short: boolean;
  readonly threads: number;
}

export type BenchItem = (options: BenchOptions) => Promise<BenchRow[]>;

/** Makes a row; the ratio follows. */
export function buildRow(
  name: string,
  value: number,
  unit: string,
  baseline: BenchRow['baseline'],
  notes?: string,
): BenchRow {
  const row = {
    name,
    value: round(value),
    unit,
    baseline: { ...baseline, value: round(baseline.value) },
    ratio: round(value / baseline.value),
  };
  return notes === undefined ? row : { ...row, notes };
}

/** Rounds to four significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** The value that a share of a list does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median of a list. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Highest resident memory of this process so far, in GB. */
export function peakMemoryGb(): number {
  return process.resourceUsage().maxRSS / 1e6;
}

/** The message of a thrown value on one line. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
}
