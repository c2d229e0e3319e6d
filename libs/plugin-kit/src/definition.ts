import type { z } from 'zod';

/** Version of the kit, that of its package; a definition states which it was made for (`kit: '^0.1'`). */
export const kitVersion = '0.1.0';

/** What a number of a plugin means; `docs/reference/metrics.md` is generated from these. */
export interface PluginMetric {
  /** unit, or `1` for a pure number, or `probability`, `tokens`, `seconds` … */
  readonly unit: string;
  /** one line a reader can recompute it from; of one trajectory (rewards) or one action (environments) */
  readonly formula: string;
}

/** What every definition carries; plain data, so two copies of the kit cannot disagree. */
export interface Definition<Kind extends string, Params> {
  readonly kind: Kind;
  /** lower-case words joined by dashes; unique per kind */
  readonly id: string;
  /** one sentence for lists and forms */
  readonly summary: string;
  /** range of kit versions it works with, e.g. `^0.1` */
  readonly kit: string;
  /** options: types, ranges, defaults and their documentation (`.describe`) */
  readonly params: z.ZodType<Params>;
}
