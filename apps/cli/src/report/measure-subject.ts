/** @file The numbers of a report: success before and after, tests between variants, what each has cost, verdicts. */
import { basename } from 'node:path';
import { namesIn, type SweepClaim } from '@espalier/config/sweep';
import type { CurveChart, GroupTest } from '@espalier/report';
import type { Ledger } from '@espalier/report/ledger';
import { bootstrapMean, type Interval, studentInterval } from '@espalier/rollout/estimates';
import { type SeedGroup, testGroups } from '../local/compare-runs.js';
import { readLedger } from '../local/ledger.js';
import { lastStep, listMetrics, readCurve } from '../local/local-runs.js';
import { judge, type JudgedClaim } from './judge-claims.js';
import type { Subject } from './read-subject.js';
import { countValues, statesAt, valueAt } from './run-values.js';

export interface VariantRow {
  readonly variant: string;
  readonly seeds: readonly number[];
  /** newest step of each run */
  readonly steps: readonly number[];
  readonly outcomes: readonly string[];
  /** success on fixed states, mean over the seeds; absent without validation, and `before` with a single one */
  readonly before?: number;
  readonly after?: number;
  /** after − before: hull of seeds (two or more) and states */
  readonly gain?: Interval;
  /** mean over the seeds */
  readonly cost: Partial<Record<CostName, number>>;
}

export const costNames = [
  'wallSeconds',
  'processorSeconds',
  'energyWattHours',
  'sampledTokens',
  'trainedTokens',
  'environmentSteps',
  'optimizerSteps',
  'successPoints',
  'perMillionTokens',
  'perThousandInteractions',
  'perDeviceHour',
  'price',
  'perPrice',
] as const;
export type CostName = (typeof costNames)[number];

export interface MeasuredSubject {
  readonly subject: Subject;
  readonly claims: readonly (JudgedClaim & {
    /** a run that it was judged by had other options than the file's */
    readonly changed: boolean;
  })[];
  readonly variants: readonly VariantRow[];
  /** within each group, corrected over its tests */
  readonly tests: readonly GroupTest[];
  readonly charts: readonly CurveChart[];
}

const success = 'validation/success_rate';

/** Measures a subject. @throws trainer.corrupt_run */
export function measureSubject(subject: Subject): MeasuredSubject {
  const { spec, ended } = subject;
  const names = [...new Set(ended.map(({ variant }) => variant))];
  const listed = spec === undefined || spec.groups.length === 0 ? [names] : spec.groups;
  const groups = listed
    .map((group) => group.filter((name) => names.includes(name)))
    .filter((group) => group.length > 0)
    .map((group) => group.map((name) => seedGroup(subject, name)));
  return {
    subject,
    claims:
      spec?.claims.map((claim) => ({ ...judge(claim, ended), changed: isChanged(subject, claim) })) ?? [],
    variants: names.map((name) => measureVariant(subject, name)),
    tests: groups.flatMap((group) => testGroups(group, 'end').tests),
    charts: groups.flatMap((group, index) =>
      drawGroup(subject, group, groups.length === 1 ? '' : `-${index + 1}`),
    ),
  };
}

function isChanged({ changed, ended }: Subject, { rules }: SweepClaim): boolean {
  const names = new Set(rules.flatMap(namesIn));
  const own = ended.filter(({ variant }) => names.has(variant)).map(({ folder }) => basename(folder));
  return changed.some(({ runs }) => runs.some((run) => own.includes(run)));
}

const runsOf = ({ ended }: Subject, variant: string) => ended.filter((run) => run.variant === variant);

function seedGroup(subject: Subject, variant: string): SeedGroup {
  const own = runsOf(subject, variant);
  return { label: variant, folders: own.map(({ folder }) => folder), seeds: own.map(({ seed }) => seed) };
}

function measureVariant(subject: Subject, variant: string): VariantRow {
  const own = runsOf(subject, variant);
  const pairs = own.flatMap(({ folder }) => {
    const [before, after] = [valueAt(folder, success, 'start'), valueAt(folder, success, 'end')];
    return before === undefined || after === undefined ? [] : [{ folder, before, after }];
  });
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length;
  const isMeasured = pairs.length > 0;
  const hasStart = pairs.every(({ folder }) => countValues(folder, success) > 1);
  return {
    variant,
    seeds: own.map(({ seed }) => seed),
    steps: own.map(({ folder }) => lastStep(folder)),
    outcomes: own.map(({ outcome }) => outcome),
    ...(isMeasured
      ? {
          ...(hasStart ? { before: mean(pairs.map((one) => one.before)), gain: gainOf(pairs) } : {}),
          after: mean(pairs.map((one) => one.after)),
        }
      : {}),
    cost: meanCost(own.flatMap(({ folder }) => readLedger(folder) ?? [])),
  };
}

/** A single seed has the interval of its states alone. */
function gainOf(pairs: readonly { folder: string; before: number; after: number }[]): Interval {
  const seeds = studentInterval(pairs.map(({ before, after }) => after - before));
  const byState = new Map<string, number[]>();
  for (const { folder } of pairs) {
    const before = statesAt(folder, success, 'start');
    for (const [state, rate] of statesAt(folder, success, 'end') ?? []) {
      const earlier = before?.get(state);
      if (earlier !== undefined) byState.set(state, [...(byState.get(state) ?? []), rate - earlier]);
    }
  }
  const states = bootstrapMean(
    [...byState.values()].map((own) => own.reduce((sum, one) => sum + one, 0) / own.length),
  );
  if (pairs.length < 2) return { ...states, mean: seeds.mean };
  if (Number.isNaN(states.low)) return seeds;
  return { mean: seeds.mean, low: Math.min(seeds.low, states.low), high: Math.max(seeds.high, states.high) };
}

const amounts = [
  'sampledTokens',
  'trainedTokens',
  'environmentSteps',
  'optimizerSteps',
  'successPoints',
] as const satisfies readonly CostName[];

/** Means over the runs; what success has cost is a ratio of means. */
function meanCost(ledgers: readonly Ledger[]): VariantRow['cost'] {
  const meanOf = (read: (ledger: Ledger) => number | undefined): number | undefined => {
    const values = ledgers.flatMap((ledger) => read(ledger) ?? []);
    return values.length === 0 ? undefined : values.reduce((total, one) => total + one, 0) / values.length;
  };
  const total = (values: Readonly<Record<string, number>> | undefined): number | undefined =>
    values && Object.values(values).reduce((sum, one) => sum + one, 0);
  const means = Object.fromEntries(amounts.map((name) => [name, meanOf((ledger) => ledger[name])]));
  const wallSeconds = meanOf((ledger) => total(ledger.wallSeconds));
  const price = meanOf((ledger) => ledger.price);
  const { successPoints, sampledTokens = 0, trainedTokens = 0, environmentSteps = 0 } = means;
  const per = (amount: number, unit: number): number | undefined =>
    successPoints === undefined || amount === 0 ? undefined : successPoints / (amount / unit);
  const all: Record<string, number | undefined> = {
    ...means,
    wallSeconds,
    processorSeconds: meanOf((ledger) => total(ledger.processorSeconds)),
    energyWattHours: meanOf(({ energyJoules }) => energyJoules && (total(energyJoules) ?? 0) / 3600),
    perMillionTokens: per(sampledTokens + trainedTokens, 1e6),
    perThousandInteractions: per(environmentSteps, 1e3),
    perDeviceHour: per(wallSeconds ?? 0, 3600),
    price,
    perPrice: per(price ?? 0, 1),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const usual = [success, 'rollout/reward_mean'];

function drawGroup(
  { name, spec, title }: Subject,
  group: readonly SeedGroup[],
  suffix: string,
): CurveChart[] {
  const known = new Set(group.flatMap(({ folders }) => folders.flatMap(listMetrics)));
  return (spec?.metrics ?? usual)
    .filter((metric) => known.has(metric))
    .map((metric) => ({
      kind: 'curves',
      id: `${name}${suffix}-${metric.replaceAll(/[^a-z0-9]+/g, '-')}`,
      title: metric,
      caption: `${title}: ${metric}`,
      curves: group.map(({ label, folders, seeds }) => ({
        label: `${label} (${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')})`,
        runs: folders.map((folder) => readCurve(folder, metric)),
      })),
      marks: [],
    }));
}
