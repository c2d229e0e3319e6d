/**
 * @file What a view knows about a run: a pure fold over its events. Drawing is elsewhere.
 */
import type { Phase, RunEvent, RunOutcome, RunSpec, Trajectory } from '@espalier/contracts';
import { healthStates, type HealthState } from '@espalier/contracts/health';
import type { MetricRow } from '@espalier/recorder';
import { changeText } from './level-lines.js';
import { addStepTime, noStepTimes, type StepTimes } from './eta.js';
import { showPath } from './show-path.js';

export interface RunTitle {
  readonly folder: string;
  readonly spec: RunSpec;
  readonly model: string;
  /** what the environment is about and what success means there */
  readonly summary?: string;
}

export interface RunProgress {
  readonly step: number;
  readonly steps: number;
  readonly phase: Phase | undefined;
  readonly done: number;
  readonly total: number;
  readonly success: readonly number[];
  readonly entropy: readonly number[];
  readonly latest: Readonly<Record<string, number>>;
  readonly validation: readonly {
    readonly step: number;
    readonly values: Readonly<Record<string, number>>;
  }[];
  readonly times: StepTimes;
  readonly lastTime: number;
  readonly sample: Trajectory | undefined;
  readonly notice: string;
  /** what the collapse monitor says; undefined: nothing yet, or it is off */
  readonly health: { readonly state: HealthState; readonly message: string } | undefined;
  /** how the run ended; undefined while it is running */
  readonly outcome: RunOutcome | undefined;
}

export const startProgress: RunProgress = {
  step: 0,
  steps: 0,
  phase: undefined,
  done: 0,
  total: 0,
  success: [],
  entropy: [],
  latest: {},
  validation: [],
  times: noStepTimes,
  lastTime: 0,
  sample: undefined,
  notice: '',
  health: undefined,
  outcome: undefined,
};

/** Tells what a row of metrics is of; undefined: of what a fork begins with. */
export function kindOfRow(values: Readonly<Record<string, number>>): 'step' | 'validation' | undefined {
  if ('rollout/success_rate' in values) return 'step';
  return 'validation/success_rate' in values ? 'validation' : undefined;
}

/** Gives the progress after one more event. */
export function advance(progress: RunProgress, event: RunEvent): RunProgress {
  switch (event.kind) {
    case 'run-started':
      return startAgain(progress, event);
    case 'phase':
      return { ...progress, phase: event.phase, done: event.done, total: event.total };
    case 'metrics':
      return advanceMetrics(progress, event);
    case 'trajectory':
      return event.trajectory.split === 'train'
        ? { ...progress, sample: chooseSample(progress.sample, event) }
        : progress;
    case 'checkpoint':
      return { ...progress, notice: `saved ${showPath(event.folder)}` };
    case 'level':
      return { ...progress, notice: changeText(event) };
    case 'warning':
      return { ...progress, notice: `${event.code}: ${event.message}` };
    case 'monitor':
      return { ...progress, health: { state: event.state, message: event.message } };
    case 'run-ended':
      return {
        ...progress,
        phase: undefined,
        outcome: event.outcome,
        // the error after the live view gives the reason
        notice: event.outcome === 'failed' ? '' : event.message,
      };
  }
}

/** An attempt that resumes from a checkpoint repeats the steps after it; their earlier values are dropped. */
function startAgain(
  progress: RunProgress,
  { step, steps, time }: Extract<RunEvent, { kind: 'run-started' }>,
): RunProgress {
  return {
    ...progress,
    step,
    steps,
    lastTime: time,
    phase: undefined,
    outcome: undefined,
    success: progress.success.slice(0, step),
    entropy: progress.entropy.slice(0, step),
    validation: progress.validation.filter((row) => row.step <= step),
  };
}

function advanceMetrics(progress: RunProgress, event: Extract<RunEvent, { kind: 'metrics' }>): RunProgress {
  const { values, time, step } = event;
  const kind = kindOfRow(values);
  if (kind === undefined) return progress;
  if (kind === 'validation') {
    return {
      ...progress,
      validation: [...progress.validation, { step, values }],
      phase: undefined,
      lastTime: time,
    };
  }
  return {
    ...progress,
    step,
    phase: undefined,
    latest: values,
    health: healthOf(progress, values),
    success: [...progress.success, values['rollout/success_rate'] ?? Number.NaN],
    entropy: [...progress.entropy, values['rollout/entropy'] ?? values['policy/entropy'] ?? Number.NaN],
    times: addStepTime(progress.times, time - progress.lastTime),
    lastTime: time,
  };
}

/** The state of a row, with the message of the event that brought it. */
function healthOf({ health }: RunProgress, values: Readonly<Record<string, number>>): RunProgress['health'] {
  const state = healthStates[values['monitor/state'] ?? -1];
  return state === undefined || state === health?.state ? health : { state, message: '' };
}

/** Shows the first attempt of each step, so that successive samples are comparable. */
function chooseSample(
  present: Trajectory | undefined,
  { trajectory }: Extract<RunEvent, { kind: 'trajectory' }>,
): Trajectory {
  return present === undefined || present.step !== trajectory.step ? trajectory : present;
}

/** Gives the progress that an earlier start of the run had made, from its rows of metrics; how long they took is over. */
export function recallProgress(progress: RunProgress, rows: readonly MetricRow[]): RunProgress {
  const recalled = rows.reduce<RunProgress>(
    (so, { step, time, values }) => advance(so, { kind: 'metrics', step, time, values }),
    progress,
  );
  return { ...recalled, times: noStepTimes, lastTime: 0 };
}
