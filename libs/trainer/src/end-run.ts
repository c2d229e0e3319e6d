/**
 * @file How a run ends: done, out of signal, asked to stop, or failed; and the checkpoint that goes with it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, highestLearningRate, isAppError, type RunOutcome } from '@espalier/contracts';
import { saveCheckpoint } from './checkpoint.js';
import { manifestName } from './durable-folder.js';
import { createPhaseClock } from './phase-clock.js';
import { progressOf, type RunContext } from './run-context.js';
import { markLogs } from './run-logs.js';
import { isRefusedBySystem, isWriteFailure, writeFailed } from './write-failure.js';

/** How a run ended. */
export interface RunSummary {
  readonly outcome: Exclude<RunOutcome, 'failed'>;
  /** all steps done; five iterations in a row without anything to learn from; asked to stop */
  readonly reason: 'steps' | 'no-signal' | 'stop-request';
  readonly message: string;
  /** iterations completed */
  readonly step: number;
  /** newest checkpoint */
  readonly checkpoint: string;
}

/** Tells whether an error is only the echo of a stop request. */
export function isStopped(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (isAppError(error) && error.code.endsWith('.cancelled'));
}

/** Saves the last completed iteration. */
export async function saveNow(run: RunContext): Promise<string> {
  const { state, spec, start, engine, critic } = run;
  requireInPlace(run, `save step ${state.step}`);
  const clock = createPhaseClock();
  progressOf(run, 'save')(0, 1);
  // what the checkpoint counts as told must be on disk before it
  await run.sink.flush();
  const logs = { attempt: run.attempt, files: markLogs(run.folder, run.sink.marks?.() ?? {}) };
  const contents = { logs, state, spec, start, policy: engine.policy, critic };
  const folder = await clock.time('save', () => saveCheckpoint(run.folder, contents, spec.checkpoint.keep));
  run.saved = { state, folder };
  run.isCheckpointRequested = false;
  run.untoldSaveSeconds += clock.seconds('save');
  run.sink.emit({ kind: 'checkpoint', time: run.now(), step: state.step, folder });
  return folder;
}

const endings: Readonly<Record<RunSummary['reason'], readonly [RunSummary['outcome'], string, string]>> = {
  steps: ['finished', 'all steps done', ''],
  'no-signal': [
    'no-signal',
    'iterations in a row gave nothing to learn from, stopped',
    '; attempts at one state must earn differently: raise rollout.temperature or rollout.groupSize, change rewards or model',
  ],
  'stop-request': ['interrupted', 'stopped on request', ''],
};

/** Saves what is not saved yet and says goodbye. */
export async function endRun(run: RunContext, reason: RunSummary['reason']): Promise<RunSummary> {
  const checkpoint = run.saved?.state === run.state ? run.saved.folder : await saveNow(run);
  const { step } = run.state;
  const [outcome, finding, remedy] = endings[reason];
  const likely = reason === 'no-signal' ? describeHighRate(run.spec) : undefined;
  const count = reason === 'no-signal' ? `${run.state.skippedInARow} ` : '';
  const message = `${count}${finding} at step ${step} of ${run.spec.steps}${likely ?? remedy}`;
  run.sink.emit({ kind: 'run-ended', time: run.now(), step, outcome, message });
  await run.sink.flush();
  return { outcome, reason, message, step, checkpoint };
}

/** A destroyed model earns the same everywhere, whatever is done about sampling and rewards. */
function describeHighRate({ optimizer: { learningRate } }: RunContext['spec']): string | undefined {
  if (learningRate <= highestLearningRate) return undefined;
  return `; optimizer.learningRate ${learningRate} is above ${highestLearningRate} and has most likely destroyed the model: lower it, 1e-5 to 1e-3 are usual, and start anew`;
}

/** Makes sure that writing does not raise a folder that was removed, or enter one that another process took. */
export function requireInPlace(run: RunContext, attempt: string): void {
  if (run.isInPlace()) return;
  throw writeFailed(
    attempt,
    new Error(`"${run.folder}" was moved, removed or taken over while the run was under way`),
  );
}

/**
 * Tells of a failure; saves first when weights are those of a completed iteration.
 *
 * @returns what to throw; it says what is safe, so that nothing has to be said beside it
 */
export async function endFailedRun(run: RunContext, error: unknown): Promise<unknown> {
  const { step } = run.state;
  const failure = isRefusedBySystem(error) ? writeFailed(`go on after step ${step}`, error) : error;
  const isUnsaved = !run.isUpdating && step > (run.saved?.state.step ?? 0) && !isWriteFailure(failure);
  let unsaved = '';
  if (isUnsaved) {
    await saveNow(run).catch((second: unknown) => {
      unsaved = `; saving step ${step} failed as well: ${sentenceOf(second)}`;
    });
  }
  const message = `${sentenceOf(failure)}${unsaved}; ${describeSafe(run)}`;
  run.sink.emit({ kind: 'run-ended', time: run.now(), step, outcome: 'failed', message });
  await run.sink.flush().catch(() => undefined);
  if (!isAppError(failure)) return new Error(message, { cause: failure });
  return new AppError(failure.code, message, { details: failure.details, cause: failure.cause });
}

function describeSafe({ saved }: RunContext): string {
  if (saved === undefined) return 'no checkpoint was written';
  return existsSync(join(saved.folder, manifestName))
    ? `the last good checkpoint is "${saved.folder}"`
    : `the last good checkpoint was "${saved.folder}" and went with its folder; put it back to go on`;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
