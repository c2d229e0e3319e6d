/**
 * @file Ends a run (finished, no signal, stopped or failed) and saves its last checkpoint.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  AppError,
  hasCode,
  highestLearningRate,
  isAppError,
  runLayout,
  type RunOutcome,
} from '@espalier/contracts';
import { describeUnchanged, type HealthSummary } from '@espalier/contracts/health';
import { type Health, listFiring } from '@espalier/diagnostics';
import { saveCheckpoint } from './checkpoint.js';
import { lastHealthyStep } from './healthy-checkpoints.js';
import { createPhaseClock } from './phase-clock.js';
import { progressOf, type RunContext } from './run-context.js';
import { checkpointsFolder } from './run-folder.js';
import { markLogs } from './run-logs.js';
import { isRefusedBySystem, isWriteFailure, writeFailed } from './write-failure.js';

/** The result of a run. */
export interface RunSummary {
  readonly outcome: Exclude<RunOutcome, 'failed'>;
  /** all steps done; `update.maxSkipped` iterations in a row without signal; stopped by the monitor; on request */
  readonly reason: 'steps' | 'no-signal' | 'collapse' | 'pause' | 'stop-request';
  readonly message: string;
  /** iterations completed */
  readonly step: number;
  /** newest checkpoint */
  readonly checkpoint: string;
  /** step of the checkpoint to go on from with other settings, after a collapse or a warning; absent: none is kept */
  readonly healthyStep?: number;
}

/** Reports whether an error only reflects a stop request. */
export function isStopped(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || hasCode(error, 'engine.cancelled', 'rollout.cancelled');
}

/** Saves the last completed iteration. */
export async function saveNow(run: RunContext): Promise<string> {
  const { state, written: spec, start, engine, critics } = run;
  assertInPlace(run, `save step ${state.step}`);
  const clock = createPhaseClock();
  progressOf(run, 'save')(0, 1);
  const ahead = await run.ahead?.settle(state.step + 1);
  // the events that the checkpoint counts must be on disk before it
  await run.sink.flush();
  const logs = { attempt: run.attempt, files: markLogs(run.folder, run.sink.marks?.() ?? {}) };
  const { probes, replay } = run;
  const { policy } = engine;
  const contents = { logs, state, spec, start, probes, replay, ahead, policy, critics };
  const folder = await clock.time('save', () =>
    saveCheckpoint(run.folder, contents, spec.checkpoint.keep, state.recovery.healthySteps),
  );
  run.saved = { state, folder };
  run.isCheckpointRequested = false;
  run.unreportedSaveSeconds += clock.seconds('save');
  run.sink.emit({ kind: 'checkpoint', time: run.now(), step: state.step, folder });
  return folder;
}

const endings: Readonly<Record<RunSummary['reason'], readonly [RunSummary['outcome'], string]>> = {
  steps: ['finished', 'all steps done'],
  'no-signal': ['no-signal', 'iterations in a row had no signal, stopped'],
  collapse: ['collapsed', 'the collapse monitor stopped the run'],
  pause: ['paused', 'the collapse monitor paused the run'],
  'stop-request': ['interrupted', 'stopped on request'],
};

/** Saves what is not saved yet and emits the end of the run. */
export async function endRun(run: RunContext, reason: RunSummary['reason']): Promise<RunSummary> {
  const checkpoint = run.saved?.state === run.state ? run.saved.folder : await saveNow(run);
  const { step } = run.state;
  const [outcome, finding] = endings[reason];
  const healthyStep = findHealthyStep(run);
  const remedy =
    reason === 'no-signal'
      ? describeLack(run, healthyStep)
      : reason === 'collapse'
        ? describeRetry(healthyStep)
        : '';
  const count = reason === 'no-signal' ? `${run.state.skippedInARow} ` : '';
  const message = `${count}${finding} at step ${step} of ${run.spec.steps}${describeRules(run, reason)}${remedy}`;
  run.sink.emit({ kind: 'run-ended', time: run.now(), step, outcome, message, ...healthOf(run) });
  await run.sink.flush();
  return {
    outcome,
    reason,
    message,
    step,
    checkpoint,
    ...(healthyStep === undefined ? {} : { healthyStep }),
  };
}

/** A checkpoint from before the collapse that is on the disk. */
function findHealthyStep({ spec, state, folder }: RunContext): number | undefined {
  const step = lastHealthyStep(spec, state);
  const at = step === undefined ? '' : join(checkpointsFolder(folder), runLayout.stepName(step));
  return existsSync(at) ? step : undefined;
}

const describeRetry = (healthyStep: number | undefined): string =>
  healthyStep === undefined
    ? '; no checkpoint is kept that is old enough to be healthy: start a new run with other settings, or let monitor.onCollapse roll back'
    : `; fork it with other settings from step ${healthyStep}, its last healthy checkpoint, or let monitor.onCollapse roll back`;

/** What the run has come to, where the monitor has checked it. */
function healthOf({ written: { monitor }, state }: RunContext): { readonly health?: HealthSummary } {
  if (monitor.every === 0 || state.step < monitor.every) return {};
  const { state: reached, since, evidence } = state.health;
  const isUnchanged = reached === 'healthy' && evidence === '';
  return {
    health: {
      state: reached,
      since,
      evidence: isUnchanged ? describeUnchanged(state.step, monitor.every) : evidence,
    },
  };
}

/** The rules for which the monitor ended a run. */
function describeRules({ state: { health } }: RunContext, reason: RunSummary['reason']): string {
  if (reason !== 'collapse' && reason !== 'pause') return '';
  return listRules(health);
}

function listRules(health: Health): string {
  const rules = listFiring(health).map(
    ({ rule, tag, since }) => `${rule}${tag === undefined ? '' : ` in ${tag}`} since step ${since}`,
  );
  return rules.length === 0 ? '' : ` (${rules.join(', ')})`;
}

/** Whether the monitor has called a collapse of a run that succeeded at its start: its task is not too hard. */
const hasLostSuccess = ({ state, inputs: { success } }: Health): boolean =>
  state === 'collapsed' && success !== undefined && Math.max(...success.first) > 0;

/** Where fewer replies have the required form, that is what keeps a run from learning. */
const leastValidShare = 0.05;

/** Says why nothing can be learned, and what to do: too easy, collapsed, not in the required form, too hard, or none of these. */
function describeLack(run: RunContext, healthyStep: number | undefined): string {
  const { spec, state } = run;
  const { trajectories, successes, replies, validReplies } = state.unlearned;
  if (trajectories > 0 && successes === trajectories)
    return `; too easy: all ${trajectories} episodes succeeded, so nothing is left to learn here: choose a harder environment (its options, or a curriculum), or rewards that tell successes apart`;
  const destroyed = describeHighRate(spec);
  if (destroyed !== undefined) return destroyed;
  if (successes === 0 && hasLostSuccess(state.health))
    return `; collapsed since step ${state.health.since}, not too hard: it succeeded before, and in none of the last ${trajectories} episodes${describeRetry(healthyStep)}`;
  if (successes === 0 && validReplies < leastValidShare * replies)
    return `; not in the required form: ${validReplies === 0 ? 'none' : validReplies} of ${replies} replies were: teach the form by a warm start (espalier warm-start CONFIG --from MODEL), give partial credit (rewards: [{ use: format-shaping }]), or ask otherwise (rollout.prompt; \`espalier prompt\` prints what is asked)`;
  if (trajectories > 0 && successes === 0)
    return `; too hard: none of ${trajectories} episodes succeeded: choose an easier environment (its options, or a curriculum), a warm start or a stronger model, or rewards for parts of the way; \`espalier show\` prints what the agent did`;
  return `; ${successes} of ${trajectories} episodes succeeded, but trajectories of one group must score differently: raise rollout.temperature or rollout.groupSize, or change rewards or model`;
}

/** A destroyed model scores the same everywhere, whatever the sampling and rewards. */
function describeHighRate({ optimizer: { learningRate } }: RunContext['spec']): string | undefined {
  if (learningRate <= highestLearningRate) return undefined;
  return `; optimizer.learningRate ${learningRate} is above ${highestLearningRate} and has most likely destroyed the model: lower it (1e-5 to 1e-3 is usual) and start a new run`;
}

/** Prevents writing from recreating a removed folder, or entering one that another process holds. */
export function assertInPlace(run: RunContext, operation: string): void {
  if (run.isInPlace()) return;
  throw writeFailed(operation, new Error(`"${run.folder}" was moved, removed or taken over during the run`));
}

/**
 * Reports a failure; saves first when the weights are those of a completed iteration.
 *
 * @returns the error to throw; its message names the checkpoint to resume from
 */
export async function endFailedRun(run: RunContext, error: unknown): Promise<unknown> {
  const { step } = run.state;
  const failure = isRefusedBySystem(error) ? writeFailed(`continue after step ${step}`, error) : error;
  const isUnsaved = !run.isUpdating && step > (run.saved?.state.step ?? 0) && !isWriteFailure(failure);
  let unsaved = '';
  if (isUnsaved) {
    await saveNow(run).catch((second: unknown) => {
      unsaved = `; saving step ${step} failed as well: ${sentenceOf(second)}`;
    });
  }
  const message = `${sentenceOf(failure)}${unsaved}; ${describeSafe(run)}`;
  run.sink.emit({ kind: 'run-ended', time: run.now(), step, outcome: 'failed', message, ...healthOf(run) });
  await run.sink.flush().catch(() => undefined);
  if (!isAppError(failure)) return new Error(message, { cause: failure });
  return new AppError(failure.code, message, { details: failure.details, cause: failure.cause });
}

function describeSafe({ saved }: RunContext): string {
  if (saved === undefined) return 'no checkpoint was written';
  return existsSync(join(saved.folder, runLayout.manifest))
    ? `the last good checkpoint is "${saved.folder}"`
    : `the last good checkpoint was "${saved.folder}" and is gone with its folder; restore it to resume`;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
