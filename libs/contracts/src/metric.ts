/** Name, unit and formula of a metric; `docs/reference/metrics.md` is generated from these. */
export interface MetricDefinition {
  /** `area/name_in_snake` */
  readonly name: string;
  /** `probability`, `nats`, `tokens`, `seconds` …, or `1` for a dimensionless number */
  readonly unit: string;
  /** one line from which a reader can recompute it */
  readonly formula: string;
}

const defined = new Map<string, MetricDefinition>();

/**
 * Declares a metric next to the code that computes it.
 *
 * Declaring a name again with the same definition has no effect.
 *
 * @throws when the name has another definition
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

/** Lists all metrics declared so far, sorted by name. */
export function definedMetrics(): MetricDefinition[] {
  return [...defined.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a metric has the same value in equal runs; what the clock and the machine say never has. */
export const isRepeatable = (name: string): boolean => !/^(?:time|memory|energy)\//.test(name);

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Limits on metric names: their number is the width of every list and export of a run. */
export const metricNameRule = {
  /** Maximum number of names per run; more suggests that a name contains a value, such as a token. */
  maxCount: 2000,
  /** Code of the warning that metrics were dropped, for their names or their number. */
  warning: 'metrics.dropped',
  /** 1 to 200 characters, without control characters, starting with a letter, a digit or `_`. */
  allows: (name: string): boolean => name.length <= 200 && name !== '__proto__' && namePattern.test(name),
} as const;
