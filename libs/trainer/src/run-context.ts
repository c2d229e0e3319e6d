/**
 * @file The context of a running run: its fixed parts and its mutable state. create-trainer.ts creates it.
 */
import {
  type CriticModel,
  defineMetric,
  metricNameRule,
  type EventSink,
  type Phase,
  type PolicyEngine,
  type RunSpec,
  type ScoringModel,
  type Tokenizer,
  type TrajectoryGroup,
  type WarningCode,
} from '@espalier/contracts';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import type { Collection, estimateChance, InitialPrompt } from '@espalier/rollout';
import type { StartingModel } from './checkpoint.js';
import type { LevelStates } from './curriculum.js';
import type { EnergyMeter } from './energy-meter.js';
import type { Probe } from './probes.js';
import type { LearnedGroup } from './replay.js';
import type { SampleAhead } from './sample-ahead.js';
import type { BoundAlgorithm } from './tag-algorithms.js';
import type { TaskStates } from './tasks.js';
import type { TrainerState } from './trainer-state.js';

export type Progress = (done: number, total: number) => void;

/** Samples trajectories for a step and scores them; throws `rollout.cancelled` on a stop request. */
export type Collect = (step: number, signal: AbortSignal, progress: Progress) => Promise<Collection>;

/** Groups that take the place of dropped ones. */
export interface Replacements {
  /** number of the first, after all groups of the step so far */
  readonly first: number;
  /** how many of each tag; the tag of a run in one environment is empty */
  readonly counts: ReadonlyMap<string, number>;
  /** how many groups of each tag came before */
  readonly before: ReadonlyMap<string, number>;
}

/** What decides which states are played, beside the step. */
export interface PlayState {
  readonly levels?: LevelStates | undefined;
  readonly tasks?: TaskStates | undefined;
}

/** Samples the groups of a training step, at the levels of its curricula and from its tasks, or groups in place of dropped ones; see {@link Collect}. */
export type CollectGroups = (
  step: number,
  played: PlayState,
  signal: AbortSignal,
  progress: Progress,
  replacements?: Replacements,
) => Promise<Collection>;

/** An environment to validate in. */
export interface ValidatedEnvironment {
  readonly tag: string | undefined;
  readonly environment: string;
  /** whether the run learns from it */
  readonly trained: boolean;
  /** an earlier level of a curriculum, from 1 */
  readonly level: number | undefined;
  readonly episodes: number;
  readonly collect: Collect;
  /** the first prompts of its first states */
  readonly encodePrompts: (count: number) => Promise<readonly InitialPrompt[]>;
}

export interface RunContext {
  readonly runId: string;
  /** 1 for the first process of a run; each resume adds one */
  readonly attempt: number;
  readonly folder: string;
  /** the settings in force: those of the run, with what roll-backs have changed */
  spec: RunSpec;
  /** the spec of the run */
  readonly written: RunSpec;
  readonly sink: EventSink;
  readonly engine: PolicyEngine;
  readonly tokenizer: Tokenizer;
  /** empty: no algorithm of the run has one */
  readonly critics: readonly CriticModel[];
  readonly reference: ScoringModel | undefined;
  readonly algorithm: AlgorithmDefinition<unknown>;
  algorithmParams: unknown;
  /** by tag, of those that do not share it */
  readonly ownAlgorithms?: ReadonlyMap<string, BoundAlgorithm> | undefined;
  readonly start: StartingModel;
  /** collects the groups of one training iteration, or groups in place of dropped ones */
  readonly collect: CollectGroups;
  /** repeats actions under other noise seeds; undefined where the filter does not ask for it */
  readonly estimateChance:
    | ((groups: readonly TrajectoryGroup[], signal: AbortSignal) => ReturnType<typeof estimateChance>)
    | undefined;
  /** samples one trajectory per validation state; the same states and draws at every step */
  readonly validated: readonly ValidatedEnvironment[];
  /** ms since epoch */
  readonly now: () => number;
  /** of the device of the run */
  readonly energy: EnergyMeter;
  /** the run folder exists and this process still holds its lock */
  readonly isInPlace: () => boolean;

  /** the first checkpoint of a fork that continues, to be reported; undefined: the run is none, or was resumed */
  readonly forked: string | undefined;
  /** it has done no iteration of its own yet, and its rows begin with what its parent had done */
  readonly isAtForkPoint: boolean;

  state: TrainerState;
  /** samples the next batch while the policy learns; undefined: batches are sampled when they are needed */
  readonly ahead: SampleAhead | undefined;
  /** groups that may be learned from again, oldest first */
  replay: readonly LearnedGroup[];
  /** what drift from the start is measured on; undefined: nothing */
  probes: readonly Probe[] | undefined;
  /** what the newest checkpoint holds */
  saved: { readonly state: TrainerState; readonly folder: string } | undefined;
  /** seconds spent on checkpoints since the last metrics row */
  unreportedSaveSeconds: number;
  /** CPU seconds that the metrics rows of this process have reported */
  reportedCpuSeconds: number;
  /** names of all metrics that this process has reported */
  readonly metricNames: Set<string>;
  hasDroppedMetrics: boolean;
  /** the weights are in between two completed iterations */
  isUpdating: boolean;
  /** a checkpoint was requested after the current iteration */
  isCheckpointRequested: boolean;
}

const CPU_SECONDS = defineMetric({
  name: 'time/cpu_seconds',
  unit: 'seconds',
  formula:
    'CPU time of the process, all threads, since the previous row; in the first row, since the process started',
});

/** Emits a row of metrics, with the CPU time since the last one. */
export function emitMetrics(run: RunContext, values: Readonly<Record<string, number>>): void {
  const { user, system } = process.cpuUsage(); // microseconds
  const spent = (user + system) / 1e6 - run.reportedCpuSeconds;
  run.reportedCpuSeconds += spent;
  const row = boundMetrics(run, { ...values, [CPU_SECONDS.name]: spent });
  run.sink.emit({ kind: 'metrics', time: run.now(), step: run.state.step, values: row });
}

/** Drops metrics with invalid names and names beyond the limit, so that a plugin cannot flood the log. */
function boundMetrics(run: RunContext, values: Readonly<Record<string, number>>): Record<string, number> {
  const { metricNames } = run;
  const row: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (metricNames.size < metricNameRule.maxCount && metricNameRule.allows(name)) metricNames.add(name);
    if (metricNames.has(name)) row[name] = value;
    else if (!run.hasDroppedMetrics) {
      run.hasDroppedMetrics = true;
      const finding = metricNameRule.allows(name)
        ? `a run has at most ${metricNameRule.maxCount} metric names; ${JSON.stringify(name)} and other new names are dropped; log fewer names and put what varies in the value`
        : `${JSON.stringify(name.slice(0, 200))} is not a valid metric name and is dropped; use at most 200 letters, digits and punctuation marks, starting with a letter or digit`;
      emitWarning(run, metricNameRule.warning, `report metrics: ${finding}`);
    }
  }
  return row;
}

/** Warns about something that does not stop the run. */
export function emitWarning(run: RunContext, code: WarningCode, message: string): void {
  run.sink.emit({ kind: 'warning', time: run.now(), step: run.state.step, code, message });
}

/** Creates the callback that reports the progress of a phase. */
export function progressOf(run: RunContext, phase: Phase): Progress {
  return (done, total) =>
    run.sink.emit({ kind: 'phase', time: run.now(), step: run.state.step, phase, done, total });
}
