/**
 * @file One run while it is under way: its fixed parts, and the little that changes. Made by create-trainer.ts,
 * changed by trainer.ts only.
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
} from '@espalier/contracts';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import type { Collection } from '@espalier/rollout';
import type { StartingModel } from './checkpoint.js';
import type { TrainerState } from './trainer-state.js';

export type Progress = (done: number, total: number) => void;

/** Plays attempts and scores them; throws `rollout.cancelled` on a stop request. */
export type Collect = (step: number, signal: AbortSignal, progress: Progress) => Promise<Collection>;

export interface RunContext {
  readonly runId: string;
  /** 1 for the first process of a run, one more after each resume */
  readonly attempt: number;
  readonly folder: string;
  readonly spec: RunSpec;
  readonly sink: EventSink;
  readonly engine: PolicyEngine;
  readonly critic: CriticModel | undefined;
  readonly reference: ScoringModel | undefined;
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly algorithmParams: unknown;
  readonly start: StartingModel;
  /** the groups of one training iteration */
  readonly collect: Collect;
  /** one attempt at each validation state; the same states and draws at every step */
  readonly collectValidation: Collect;
  /** ms since epoch */
  readonly now: () => number;
  /** the run folder is still there, and still this process's */
  readonly isInPlace: () => boolean;

  state: TrainerState;
  /** what the newest checkpoint holds */
  saved: { readonly state: TrainerState; readonly folder: string } | undefined;
  /** seconds of the checkpoint that no metrics row has told of yet */
  untoldSaveSeconds: number;
  /** processor seconds that the metrics rows of this process have told of */
  toldCpuSeconds: number;
  /** of all metrics that this process has reported */
  readonly metricNames: Set<string>;
  hasDroppedMetrics: boolean;
  /** weights lie between two completed iterations */
  isUpdating: boolean;
  /** somebody wants a checkpoint after the current iteration */
  isCheckpointRequested: boolean;
}

const CPU_SECONDS = defineMetric({
  name: 'time/cpu_seconds',
  unit: 'seconds',
  formula:
    'processor time of the process, all threads, since the row before; in a first row since the start of the process',
});

/** Sends a row of metrics, with the processor time since the last, and moves the cursor. */
export function emitMetrics(run: RunContext, values: Readonly<Record<string, number>>): void {
  run.state = { ...run.state, metricCursor: run.state.metricCursor + 1 };
  const { user, system } = process.cpuUsage(); // microseconds
  const spent = (user + system) / 1e6 - run.toldCpuSeconds;
  run.toldCpuSeconds += spent;
  const row = boundMetrics(run, { ...values, [CPU_SECONDS.name]: spent });
  run.sink.emit({ kind: 'metrics', time: run.now(), step: run.state.step, values: row });
}

/** Drops what has no name of a metric, or one too many, so that a plugin that logs a metric per token harms nobody. */
function boundMetrics(run: RunContext, values: Readonly<Record<string, number>>): Record<string, number> {
  const { metricNames } = run;
  const row: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (metricNames.size < metricNameRule.maxCount && metricNameRule.allows(name)) metricNames.add(name);
    if (metricNames.has(name)) row[name] = value;
    else if (!run.hasDroppedMetrics) {
      run.hasDroppedMetrics = true;
      const finding = metricNameRule.allows(name)
        ? `${metricNameRule.maxCount} names of metrics is the most; ${JSON.stringify(name)} and other new ones are dropped; log fewer names, with what varies as the value`
        : `${JSON.stringify(name.slice(0, 200))} is no name of a metric and is dropped; use letters, digits and punctuation, at most 200, a letter or digit first`;
      emitWarning(run, metricNameRule.warning, `report metrics: ${finding}`);
    }
  }
  return row;
}

/** Tells people about something that does not stop the run. */
export function emitWarning(run: RunContext, code: string, message: string): void {
  run.sink.emit({ kind: 'warning', time: run.now(), step: run.state.step, code, message });
}

/** Makes the callback that reports how far a phase is. */
export function progressOf(run: RunContext, phase: Phase): Progress {
  return (done, total) =>
    run.sink.emit({ kind: 'phase', time: run.now(), step: run.state.step, phase, done, total });
}
