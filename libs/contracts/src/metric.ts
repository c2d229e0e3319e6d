/** What a metric is called, measured in and computed by; `docs/reference/metrics.md` is generated from these. */
export interface MetricDefinition {
  /** `area/name_in_snake` */
  readonly name: string;
  /** unit, or `1` for a pure number, or `probability`, `nats`, `tokens`, `seconds` … */
  readonly unit: string;
  /** one line a reader can recompute it from */
  readonly formula: string;
}

const defined = new Map<string, MetricDefinition>();

/**
 * Declares a metric beside the code that computes it.
 *
 * Declaring the same name twice with the same meaning is harmless; with another meaning it throws.
 */
export function defineMetric(definition: MetricDefinition): MetricDefinition {
  const known = defined.get(definition.name);
  if (known !== undefined && (known.unit !== definition.unit || known.formula !== definition.formula)) {
    throw new Error(
      `defineMetric: "${definition.name}" is already defined as "${known.formula}"; use another name`,
    );
  }
  defined.set(definition.name, definition);
  return definition;
}

/** Lists all metrics declared so far, by name. */
export function definedMetrics(): MetricDefinition[] {
  return [...defined.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** What names of metrics may be, and how many: every list and export of a run is as wide as that. */
export const metricNameRule = {
  /** Distinct names of a run; more than that is a value in the wrong place, such as a token. */
  most: 2000,
  /** Code of the warning that metrics were dropped: for their names, or because there are too many. */
  warning: 'metrics.dropped',
  /** 1 to 200 characters, no control characters, a letter, digit or `_` first. */
  allows: (name: string): boolean => name.length <= 200 && name !== '__proto__' && namePattern.test(name),
} as const;
