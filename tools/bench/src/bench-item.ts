import type { BenchRow } from './row.js';

/** How thoroughly an item measures. `short` shows that it runs; its figures are not quoted. */
export interface BenchOptions {
  readonly short: boolean;
  readonly threads: number;
}

export type BenchItem = (options: BenchOptions) => Promise<BenchRow[]>;
