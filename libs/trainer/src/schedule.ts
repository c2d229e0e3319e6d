/**
 * @file Decides what is due between two iterations: pure functions of spec and state, so a resumed run decides alike.
 */
import type { RunSpec } from '@espalier/contracts';
import { type ModelSteps, startRecovery } from './recovery.js';
import type { TrainerState } from './trainer-state.js';

/** Reports whether the current step still needs its validation. @param isLast the run ends with it for another reason than its steps */
export function isValidationDue(spec: RunSpec, state: TrainerState, isLast = false): boolean {
  const { every, atStart, atEnd } = spec.validation;
  if (state.validatedStep >= state.step) return false;
  if (state.step === 0) return atStart;
  if (every > 0 && state.step % every === 0) return true;
  return atEnd && (isLast || state.step >= spec.steps || isSignalLost(spec, state));
}

/** Reports whether the current step is to be saved; the end of a run is always saved. */
export function isCheckpointDue(spec: RunSpec, state: TrainerState, savedStep: number): boolean {
  const { every } = spec.checkpoint;
  return state.step > 0 && state.step > savedStep && every > 0 && state.step % every === 0;
}

/** Reports whether the run has had no signal for too long. */
export function isSignalLost(
  { update: { maxSkipped } }: RunSpec,
  { skippedInARow }: Pick<TrainerState, 'skippedInARow'>,
): boolean {
  return maxSkipped > 0 && skippedInARow >= maxSkipped;
}

/**
 * Counts the optimizer steps that a run plans for each model: the length of their learning-rate schedules. The
 * policy does not learn while the critic warms up.
 *
 * @param extraSteps those of iterations that were done with other settings, beyond what these would have made
 */
export function plannedSteps(
  spec: RunSpec,
  hasCritic: boolean,
  extraSteps: ModelSteps = startRecovery.extraSteps,
): ModelSteps {
  const made = stepsAfter(spec, spec.steps, hasCritic);
  return { policy: made.policy + extraSteps.policy, critic: made.critic + extraSteps.critic };
}

/** Counts the optimizer steps that so many iterations plan. */
export function stepsAfter({ update }: RunSpec, iterations: number, hasCritic: boolean): ModelSteps {
  const { epochs, miniBatches, criticWarmup } = update;
  const learning = hasCritic ? Math.max(0, iterations - criticWarmup) : iterations;
  return {
    policy: learning * epochs * miniBatches,
    critic: iterations * criticPasses(update).epochs * criticPasses(update).miniBatches,
  };
}

/** Passes of the critic over the trajectories of an iteration, and optimizer steps of each. */
export const criticPasses = ({
  epochs,
  miniBatches,
  criticEpochs = epochs,
  criticMiniBatches = miniBatches,
}: RunSpec['update']) => ({ epochs: criticEpochs, miniBatches: criticMiniBatches });
