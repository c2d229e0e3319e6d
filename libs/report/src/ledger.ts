/**
 * @file What a run has cost, from its metrics: seconds by phase, processor time, tokens, steps, and what its success has
 * cost of each. A run that was resumed counts what it kept; a fork, whose totals go on from its parent's, what it did itself.
 */

export const ledgerPhases = [
  'collect',
  'select',
  'credit',
  'update',
  'report',
  'monitor',
  'validate',
  'save',
] as const;
type Phase = (typeof ledgerPhases)[number];

export const energySources = ['measured', 'estimated', 'partly measured'] as const;
export type EnergySource = (typeof energySources)[number];

export interface Ledger {
  readonly steps: number;
  /** wall-clock seconds by phase */
  readonly wallSeconds: Readonly<Record<Phase, number>>;
  /** processor seconds by phase, of all threads; absent in runs that did not record them */
  readonly processorSeconds?: Readonly<Partial<Record<Phase, number>>>;
  /** joules by phase; absent in runs that did not record them */
  readonly energyJoules?: Readonly<Partial<Record<Phase, number>>>;
  /** where the energy is from: counters of the machine, an estimate from time and watts, or some of both */
  readonly energySource?: EnergySource;
  /** price of the wall-clock time, in the currency of device.pricePerHour; absent in runs without it */
  readonly price?: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
  readonly environmentSteps: number;
  readonly episodes: number;
  readonly optimizerSteps: number;
  /** success in percentage points, first to newest validation; absent with fewer than two */
  readonly successPoints?: number;
  readonly perMillionTokens?: number;
  readonly perThousandInteractions?: number;
  readonly perDeviceHour?: number;
  /** success points per unit of the currency */
  readonly perPrice?: number;
}

/** The metrics that a ledger is computed from. */
export const ledgerMetrics: readonly string[] = [
  'time/step_seconds',
  ...ledgerPhases.flatMap((phase) => [
    `time/${phase}_seconds`,
    `time/${phase}_cpu_seconds`,
    `energy/${phase}_joules`,
  ]),
  'energy/measured_joules',
  'time/price',
  'total/sampled_tokens',
  'total/trained_tokens',
  'total/environment_steps',
  'total/episodes',
  'update/policy_steps',
  'update/critic_steps',
  'update/critics',
  'validation/success_rate',
];

/** Gives the values of a metric, in the order of the steps. */
type ValuesOf = (metric: string) => readonly number[];

/** Computes the ledger from the metrics of a run; undefined before its first step. */
export function computeLedger(valuesOf: ValuesOf): Ledger | undefined {
  const sum = (name: string): number => valuesOf(name).reduce((total, value) => total + value, 0);
  const steps = valuesOf('time/step_seconds').length;
  if (steps === 0) return undefined;
  /** a fork has one total more than steps, which it began with */
  const own = (name: string): number => {
    const totals = valuesOf(name);
    return (totals.at(-1) ?? 0) - (totals.length > steps ? (totals[0] ?? 0) : 0);
  };
  const wallSeconds = byPhase((phase) => sum(`time/${phase}_seconds`));
  const isRecorded = valuesOf('time/collect_cpu_seconds').length > 0;
  const sampledTokens = own('total/sampled_tokens');
  const trainedTokens = own('total/trained_tokens');
  const environmentSteps = own('total/environment_steps');
  const price = valuesOf('time/price').length === 0 ? undefined : sum('time/price');
  const successes = valuesOf('validation/success_rate');
  const [first] = successes;
  const last = successes.at(-1);
  const common = {
    steps,
    wallSeconds,
    ...(isRecorded ? { processorSeconds: byPhase((phase) => sum(`time/${phase}_cpu_seconds`)) } : {}),
    ...energyOf(valuesOf),
    ...defined('price', price),
    sampledTokens,
    trainedTokens,
    environmentSteps,
    episodes: own('total/episodes'),
    // those of the critic are of each, where there are several
    optimizerSteps:
      own('update/policy_steps') + own('update/critic_steps') * (valuesOf('update/critics').at(-1) ?? 1),
  };
  if (first === undefined || last === undefined || successes.length < 2) return common;
  const successPoints = 100 * (last - first);
  const seconds = ledgerPhases.reduce((total, phase) => total + wallSeconds[phase], 0);
  const per = (amount: number, unit: number): number | undefined =>
    amount > 0 ? successPoints / (amount / unit) : undefined;
  return {
    ...common,
    successPoints,
    ...defined('perMillionTokens', per(sampledTokens + trainedTokens, 1e6)),
    ...defined('perThousandInteractions', per(environmentSteps, 1e3)),
    ...defined('perDeviceHour', per(seconds, 3600)),
    ...defined('perPrice', per(price ?? 0, 1)),
  };
}

/** Every row counts, so that the attempts of a resumed run add up, on whatever machines they ran. */
function energyOf(valuesOf: ValuesOf): Pick<Ledger, 'energyJoules' | 'energySource'> {
  const measured = valuesOf('energy/measured_joules');
  if (measured.length === 0) return {};
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const energyJoules = byPhase((phase) => sum(valuesOf(`energy/${phase}_joules`)));
  const share = sum(measured) / sumOf(energyJoules);
  // sums in another order may differ in their last digits
  if (share > 1 - 1e-9) return { energyJoules, energySource: 'measured' };
  return { energyJoules, energySource: share > 0 ? 'partly measured' : 'estimated' };
}

const byPhase = (of: (phase: Phase) => number) =>
  Object.fromEntries(ledgerPhases.map((phase) => [phase, of(phase)])) as Ledger['wallSeconds'];

const defined = <Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> =>
  value === undefined ? {} : ({ [key]: value } as Record<Key, number>);

export const sumOf = (values: Readonly<Partial<Record<string, number>>>): number =>
  Object.values(values).reduce<number>((total, one) => total + (one ?? 0), 0);
