/**
 * @file One run while it is under way: its fixed parts, and the little that changes. Made by create-trainer.ts,
 * changed by trainer.ts only.
 */
import type { CriticModel, EventSink, Phase, PolicyEngine, RunSpec, ScoringModel } from '@espalier/contracts';
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

  state: TrainerState;
  /** what the newest checkpoint holds */
  saved: { readonly state: TrainerState; readonly folder: string } | undefined;
  /** seconds of the checkpoint that no metrics row has told of yet */
  untoldSaveSeconds: number;
  /** weights lie between two completed iterations */
  isUpdating: boolean;
}

/** Sends a row of metrics and moves the cursor. */
export function emitMetrics(run: RunContext, values: Readonly<Record<string, number>>): void {
  run.state = { ...run.state, metricCursor: run.state.metricCursor + 1 };
  run.sink.emit({ kind: 'metrics', time: run.now(), step: run.state.step, values });
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
