import type { BenchRow } from './row.js';

/** Options of an item. `short` only shows that it runs; its figures are rough. */
export interface BenchOptions {
  readonly short: boolean;
  readonly threads: number;
}

export type BenchItem = (options: BenchOptions) => Promise<BenchRow[]>;
