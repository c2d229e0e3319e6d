import { readFileSync } from 'node:fs';

/** One measured figure. `ratio` is value over baseline; both were taken in the same process. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** null: it could not be measured; its name says why */
  readonly baseline: { readonly name: string; readonly value: number | null };
  readonly ratio: number | null;
  /** what else was seen: peak memory, shares, shape */
  readonly notes?: string;
}

/** Options of an item. `short` only shows that it runs; its figures are rough. */
export interface BenchOptions {
  readonly short: boolean;
  readonly threads: number;
  /** folder of SmolLM2-135M-Instruct, as `npm run fetch:smollm2` makes it */
  readonly smollm2?: string;
  /** Python with torch and transformers */
  readonly python?: string;
}

/** Why an item cannot be measured here: what is missing, and where it comes from. */
export interface Skipped {
  readonly skipped: string;
}

export type BenchItem = (options: BenchOptions) => Promise<BenchRow[] | Skipped>;

/** Makes a row; the ratio follows. */
export function buildRow(
  name: string,
  value: number,
  unit: string,
  baseline: { readonly name: string; readonly value: number },
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

/** A row beside another program, which may not be able to do it. */
export function besideRow(
  name: string,
  value: number,
  unit: string,
  peer: string,
  theirs: number | { readonly couldNot: string },
  notes: string,
): BenchRow {
  if (typeof theirs === 'number') {
    const row = buildRow(name, value, unit, { name: peer, value: theirs }, notes);
    // nothing is a multiple of nothing
    return Number.isFinite(row.ratio) ? row : { ...row, ratio: null };
  }
  const baseline = { name: `${peer} could not: ${theirs.couldNot}`, value: null };
  return { name, value: round(value), unit, baseline, ratio: null, notes };
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

/** Highest resident memory of this process so far, in bytes. On Linux the kernel's VmHWM: `maxRSS` may be the parent's. */
export function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

/** Highest resident memory of this process so far, in GB. */
export const peakMemoryGb = (): number => peakBytes() / 1e9;

/** The message of a thrown value on one line. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim();
}
