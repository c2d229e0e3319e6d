import { z } from 'zod';

/** Version of the kit, equal to that of its package; a definition states the range it supports (`kit: '^0.1'`). */
export const kitVersion = '0.1.0';

/** Unit and formula of a plugin metric; `docs/reference/metrics.md` is generated from these. */
export interface PluginMetric {
  /** `probability`, `tokens`, `seconds` …, or `1` for a dimensionless number */
  readonly unit: string;
  /** one line from which a reader can recompute it, for one trajectory (rewards) or one action (environments) */
  readonly formula: string;
}

/** The common part of all definitions; plain data, so that two copies of the kit are compatible. */
export interface Definition<Kind extends string, Params> {
  readonly kind: Kind;
  /** lower-case words separated by dashes; unique per kind */
  readonly id: string;
  /** one sentence for lists and forms */
  readonly summary: string;
  /** supported range of kit versions, e.g. `^0.1` */
  readonly kit: string;
  /** options: types, ranges, defaults and descriptions (`.describe`) */
  readonly params: z.ZodType<Params>;
}

/** The JSON Schema of the options of a definition as they are written: types, ranges, defaults, descriptions. */
export function paramsJsonSchema(definition: Definition<string, unknown>): Record<string, unknown> {
  return z.toJSONSchema(definition.params, { io: 'input', unrepresentable: 'any' });
}
