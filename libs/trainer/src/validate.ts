/**
 * @file Validation within a run: evaluates the current policy on the fixed validation states. The run folder stores the
 * outcome of every state, so that any two steps can be compared pairwise.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@espalier/contracts';
import { loadRunFile, validationFile } from './run-folder.js';
import { saveWholeFile } from '@espalier/files';
import { type Evaluation, summarizeEvaluation } from './evaluation.js';
import { createPhaseClock } from './phase-clock.js';
import { emitMetrics, progressOf, type RunContext } from './run-context.js';

/**
 * Validates the current step, stores the outcomes and emits the metrics.
 *
 * @throws rollout.cancelled on a stop request; nothing is stored, the validation remains due
 */
export async function validate(run: RunContext, signal: AbortSignal): Promise<void> {
  const { step } = run.state;
  const clock = createPhaseClock();
  const progress = progressOf(run, 'validate');
  progress(0, run.spec.validation.episodes);
  const collection = await clock.time('validate', () => run.collectValidation(step, signal, progress));
  const evaluation = summarizeEvaluation(run.spec.environment.use, collection);
  saveEvaluation(validationFile(run.folder, step), evaluation);
  for (const trajectory of [
    ...collection.groups.flatMap((group) => group.trajectories),
    ...collection.failed,
  ]) {
    run.sink.emit({ kind: 'trajectory', time: run.now(), step, trajectory, kept: false });
  }
  run.state = { ...run.state, validatedStep: step };
  emitMetrics(run, { ...evaluation.metrics, 'time/validate_seconds': clock.seconds('validate') });
}

/** Writes an evaluation as JSON, atomically. */
export function saveEvaluation(file: string, evaluation: Evaluation): void {
  mkdirSync(dirname(file), { recursive: true });
  saveWholeFile(file, `${JSON.stringify(evaluation, null, 1)}\n`);
}

/**
 * Reads what {@link saveEvaluation} wrote.
 *
 * @throws trainer.corrupt_run when the file is missing or not an evaluation
 */
export function loadEvaluation(file: string): Evaluation {
  const evaluation = loadRunFile(file, 'restore it, or evaluate the checkpoint of that step again');
  if (Array.isArray(evaluation['outcomes'])) return evaluation as unknown as Evaluation;
  throw new AppError(
    'trainer.corrupt_run',
    `read "${file}": no outcomes in it; expected a file under validation/`,
  );
}
