/**
 * @file Validation within a run: evaluates the current policy on the fixed validation states. The run folder stores the
 * outcome of every state, so that any two steps can be compared pairwise.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@espalier/contracts';
import { noteInput } from '@espalier/diagnostics';
import { loadRunFile, validationFile } from './run-folder.js';
import { saveWholeFile } from '@espalier/files';
import { isStopped } from './end-run.js';
import { asError, type Evaluation, summarizeEvaluation, type TagResult } from './evaluation.js';
import { phaseMetrics } from './iteration-metrics.js';
import { createPhaseClock } from './phase-clock.js';
import { emitMetrics, emitWarning, progressOf, type RunContext } from './run-context.js';

/**
 * Validates the current step, stores the outcomes and emits the metrics.
 *
 * @throws rollout.cancelled on a stop request; nothing is stored, the validation remains due
 */
export async function validate(run: RunContext, signal: AbortSignal): Promise<void> {
  const { step } = run.state;
  const clock = createPhaseClock(run.energy);
  const results = await clock.time('validate', () => collectAll(run, signal));
  const evaluation = summarizeEvaluation(results);
  saveEvaluation(validationFile(run.folder, step), evaluation);
  for (const { collection } of results) {
    if (collection instanceof Error) continue;
    const trajectories = [...collection.groups.flatMap((group) => group.trajectories), ...collection.failed];
    for (const trajectory of trajectories)
      run.sink.emit({ kind: 'trajectory', time: run.now(), step, trajectory, kept: false });
  }
  const success = evaluation.metrics['validation/success_rate'];
  const { health } = run.state;
  run.state = {
    ...run.state,
    validatedStep: step,
    health: success === undefined ? health : noteInput(health, 'validationSuccess', success),
  };
  emitMetrics(run, { ...evaluation.metrics, ...phaseMetrics(run, ['validate'], clock) });
}

/** Collects one environment after the other; one that is only validated may fail. */
async function collectAll(run: RunContext, signal: AbortSignal): Promise<TagResult[]> {
  const progress = progressOf(run, 'validate');
  const total = run.validated.reduce((sum, { episodes }) => sum + episodes, 0);
  progress(0, total);
  const results: TagResult[] = [];
  let before = 0;
  for (const { tag, environment, trained, level, episodes, collect } of run.validated) {
    const done = before;
    const warn = (reason: string): void =>
      emitWarning(
        run,
        'trainer.validation_failed',
        `validate tag ${tag ?? environment} at step ${run.state.step}: ${reason}; it has no numbers for this step, everything else goes on; mend the environment, or remove the tag from validation.environments`,
      );
    const collection = await collect(run.state.step, signal, (count) => progress(done + count, total)).catch(
      (error: unknown) => {
        if (trained || isStopped(error, signal)) throw error;
        const reason = asError(error);
        warn(reason.message);
        return reason;
      },
    );
    // with rollout.maxFailedShare 1 episodes may all fail without an error; a trained tag is refused later
    if (!trained && !(collection instanceof Error) && collection.groups.length === 0)
      warn(`all ${episodes} episodes failed, the first with "${collection.failed[0]?.error ?? ''}"`);
    before += episodes;
    results.push({ tag, environment, trained, level, collection });
  }
  return results;
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
