/**
 * @file What a run has cost, from its metrics: seconds by phase, processor time, tokens, steps, and what its success has
 * cost of each. A run that went on from a checkpoint counts what it kept.
 */
import { short } from '../view/numbers.js';
import { readRows } from './local-runs.js';

const phases = ['collect', 'select', 'credit', 'update', 'report', 'monitor', 'validate', 'save'] as const;

export interface Ledger {
  readonly steps: number;
  /** wall-clock seconds by phase */
  readonly wallSeconds: Readonly<Record<(typeof phases)[number], number>>;
  /** processor seconds by phase, of all threads; absent in runs that did not record them */
  readonly processorSeconds?: Readonly<Partial<Record<(typeof phases)[number], number>>>;
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
}

/** Reads the ledger of a run; undefined before its first step. */
export function readLedger(folder: string): Ledger | undefined {
  return computeLedger(readRows(folder));
}

type Rows = readonly { readonly values: Readonly<Record<string, number>> }[];

/** Computes the ledger from the rows of a run's metrics. */
export function computeLedger(rows: Rows): Ledger | undefined {
  const newest = (name: string): number => rows.findLast(({ values }) => name in values)?.values[name] ?? 0;
  const sum = (name: string): number => rows.reduce((total, { values }) => total + (values[name] ?? 0), 0);
  const steps = rows.filter(({ values }) => 'time/step_seconds' in values).length;
  if (steps === 0) return undefined;
  const wallSeconds = byPhase((phase) => sum(`time/${phase}_seconds`));
  const isRecorded = rows.some(({ values }) => 'time/collect_cpu_seconds' in values);
  const sampledTokens = newest('total/sampled_tokens');
  const trainedTokens = newest('total/trained_tokens');
  const environmentSteps = newest('total/environment_steps');
  const successes = rows.flatMap(({ values }) => values['validation/success_rate'] ?? []);
  const [first] = successes;
  const last = successes.at(-1);
  const common = {
    steps,
    wallSeconds,
    ...(isRecorded ? { processorSeconds: byPhase((phase) => sum(`time/${phase}_cpu_seconds`)) } : {}),
    sampledTokens,
    trainedTokens,
    environmentSteps,
    episodes: newest('total/episodes'),
    optimizerSteps: newest('update/policy_steps') + newest('update/critic_steps'),
  };
  if (first === undefined || last === undefined || successes.length < 2) return common;
  const successPoints = 100 * (last - first);
  const seconds = phases.reduce((total, phase) => total + wallSeconds[phase], 0);
  const per = (amount: number, unit: number): number | undefined =>
    amount > 0 ? successPoints / (amount / unit) : undefined;
  return {
    ...common,
    successPoints,
    ...defined('perMillionTokens', per(sampledTokens + trainedTokens, 1e6)),
    ...defined('perThousandInteractions', per(environmentSteps, 1e3)),
    ...defined('perDeviceHour', per(seconds, 3600)),
  };
}

const byPhase = (of: (phase: (typeof phases)[number]) => number) =>
  Object.fromEntries(phases.map((phase) => [phase, of(phase)])) as Ledger['wallSeconds'];

const defined = <Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> =>
  value === undefined ? {} : ({ [key]: value } as Record<Key, number>);

const rowsOf: readonly (readonly [head: string, of: (ledger: Ledger) => number | undefined])[] = [
  ['wall s', ({ wallSeconds }) => total(wallSeconds)],
  ['processor s', ({ processorSeconds }) => processorSeconds && total(processorSeconds)],
  ...phases.map((phase) => [`  ${phase} s`, ({ wallSeconds }: Ledger) => wallSeconds[phase]] as const),
  ['tokens sampled', ({ sampledTokens }) => sampledTokens],
  ['tokens trained', ({ trainedTokens }) => trainedTokens],
  ['environment steps', ({ environmentSteps }) => environmentSteps],
  ['optimizer steps', ({ optimizerSteps }) => optimizerSteps],
  ['success points', ({ successPoints }) => successPoints],
  ['  per 10⁶ tokens', ({ perMillionTokens }) => perMillionTokens],
  ['  per 10³ interactions', ({ perThousandInteractions }) => perThousandInteractions],
  ['  per device-hour', ({ perDeviceHour }) => perDeviceHour],
];

const total = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/** What a run has cost, in a line. */
export function costLine(ledger: Ledger | undefined): string | undefined {
  if (ledger === undefined) return undefined;
  const { wallSeconds, processorSeconds, sampledTokens, trainedTokens, environmentSteps, perDeviceHour } =
    ledger;
  const parts = [
    `${short(total(wallSeconds))} s`,
    ...(processorSeconds === undefined ? [] : [`${short(total(processorSeconds))} s of processor`]),
    `${sampledTokens} tokens sampled`,
    `${trainedTokens} trained`,
    `${environmentSteps} environment steps`,
    ...(perDeviceHour === undefined ? [] : [`${short(perDeviceHour)} success points per device-hour`]),
  ];
  return `cost: ${parts.join(', ')}`;
}

/** A table of the ledgers, a column for each run. */
export function ledgerLines(folders: readonly string[], ledgers: readonly (Ledger | undefined)[]): string[] {
  if (ledgers.every((ledger) => ledger === undefined)) return [];
  const width = Math.max(12, ...folders.map((folder) => folder.length)) + 2;
  const line = (head: string, cells: readonly string[]): string =>
    `  ${head.padEnd(24)}${cells.map((cell) => cell.padEnd(width)).join('')}`.trimEnd();
  return [
    '',
    'what it cost (energy is not measured)',
    line('', folders),
    ...rowsOf.map(([head, of]) =>
      line(
        head,
        ledgers.map((ledger) => short(ledger === undefined ? undefined : of(ledger))),
      ),
    ),
  ];
}
