/**
 * @file How well the rules tell runs that collapse from others. Whether a run has collapsed is said by its success alone, never by
 * the monitor: at its end, success is below half of its best.
 */
import { assessHealth, type Health, readObservation, startHealth } from '@espalier/diagnostics';
import { type RecordedRun, rowAt, stepsOf } from './record.js';

/** Checks between what the policy is asked, as by default; the corpus has it for every step. */
const asked = { 'monitor/mi_sequence': 5, 'monitor/probe_kl': 5 };

/** Success is averaged over so many iterations. */
const window = 3;
/** A dip deeper than this is no healthy run, even if success comes back. */
const healthyShare = 0.7;
const settings = { patience: 2, recovery: 3, rules: {} };

export type Outcome = 'healthy' | 'collapsing' | 'neither';

export interface JudgedRun {
  readonly run: RecordedRun;
  readonly outcome: Outcome;
  /** from this step on success stays below half of its best; undefined: it does not */
  readonly halvedAt: number | undefined;
  /** the health after each step */
  readonly healths: readonly Health[];
}

/** Means of the latest values; shorter at the start. */
function smooth(values: readonly number[]): number[] {
  return values.map((_, index) => {
    const part = values.slice(Math.max(0, index - window + 1), index + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** Healthy: success never falls below {@link healthyShare} of what was its best until then. */
export function judgeRun(run: RecordedRun): JudgedRun {
  const success = smooth((run.metrics['rollout/success_rate'] ?? []).map((value) => value ?? 0)).slice(
    window - 1,
  );
  let best = 0;
  const isLow = success.map((value) => value < healthyShare * (best = Math.max(best, value)));
  const isCollapsed = (success.at(-1) ?? 0) < best / 2;
  const outcome = isCollapsed ? 'collapsing' : isLow.includes(true) ? 'neither' : 'healthy';
  // steps count from 1, and the first mean is of the step that fills the window
  const lastGood = success.findLastIndex((value) => value >= best / 2) + window;
  return { run, outcome, halvedAt: isCollapsed ? lastGood + 1 : undefined, healths: replay(run) };
}

/** The rules as they are, on what the run measured. */
function replay(run: RecordedRun): Health[] {
  const healths: Health[] = [];
  for (let index = 0; index < stepsOf(run); index += 1) {
    const row = Object.entries(rowAt(run, index)).filter(
      ([name]) => index % ((asked as Record<string, number>)[name] ?? 1) === 0,
    );
    const observation = readObservation(index + 1, Object.fromEntries(row));
    healths.push(assessHealth(healths.at(-1) ?? startHealth, observation, settings).health);
  }
  return healths;
}

export interface Score {
  /** alarms that were right / runs with an alarm */
  readonly precision: number;
  /** collapsing runs with an alarm before success has halved for good / collapsing runs */
  readonly recall: number;
  readonly falseAlarmsPer100Steps: number;
  /** median of the steps from the first alarm to the halving of success, over the runs that were found in time */
  readonly medianLead: number;
  readonly healthy: number;
  readonly collapsing: number;
  /** runs that did not end clearly one way; left out */
  readonly neither: number;
}

/** The first step of an alarm; undefined: there was none. */
export function alarmStep({ healths }: JudgedRun, level: 'warning' | 'collapsed'): number | undefined {
  const index = healths.findIndex(({ state }) => isAlarm(state, level));
  return index < 0 ? undefined : index + 1;
}

const isAlarm = (state: Health['state'], level: 'warning' | 'collapsed'): boolean =>
  state === 'collapsed' || state === level;

/** Scores alarms of a level: a warning or worse, or a collapse. */
export function scoreRuns(judged: readonly JudgedRun[], level: 'warning' | 'collapsed'): Score {
  const healthy = judged.filter(({ outcome }) => outcome === 'healthy');
  const collapsing = judged.filter(({ outcome }) => outcome === 'collapsing');
  const leads = collapsing.flatMap((one) => {
    const alarm = alarmStep(one, level);
    const { halvedAt } = one;
    return alarm === undefined || halvedAt === undefined || alarm > halvedAt ? [] : [halvedAt - alarm];
  });
  const wrong = healthy.filter((one) => alarmStep(one, level) !== undefined).length;
  const steps = healthy.reduce((sum, { run }) => sum + stepsOf(run), 0);
  const entries = healthy.reduce((sum, one) => sum + countAlarms(one, level), 0);
  return {
    precision: leads.length / (leads.length + wrong),
    recall: leads.length / collapsing.length,
    falseAlarmsPer100Steps: (100 * entries) / steps,
    medianLead: median(leads),
    healthy: healthy.length,
    collapsing: collapsing.length,
    neither: judged.length - healthy.length - collapsing.length,
  };
}

/** How often a run gets an alarm. */
const countAlarms = ({ healths }: JudgedRun, level: 'warning' | 'collapsed'): number =>
  healths.filter(
    ({ state }, index) => isAlarm(state, level) && !isAlarm(healths[index - 1]?.state ?? 'healthy', level),
  ).length;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
