/**
 * @file Everything that changes over a run besides weights and moments. Random numbers are not part of it: every
 * stream is derived by name from the run's seed and the step, so the step says where all of them stand.
 */
import type { Split, TrajectoryGroup } from '@espalier/contracts';
import { z } from 'zod';

const count = z.int().min(0);

export const trainerStateSchema = z.strictObject({
  /** iterations completed */
  step: count,
  /** optimizer steps made */
  policySteps: count,
  criticSteps: count,
  /** iterations without a policy update for want of signal: in a row, and in all */
  skippedInARow: count,
  skipped: count,
  /** step of the last finished validation; -1 before the first */
  validatedStep: z.int().min(-1),
  /** metrics events sent so far: what a log of this run holds up to here */
  metricCursor: count,
  episodes: count,
  environmentSteps: count,
  sampledTokens: count,
  trainedTokens: count,
});

export type TrainerState = z.output<typeof trainerStateSchema>;

export const startState: TrainerState = {
  step: 0,
  policySteps: 0,
  criticSteps: 0,
  skippedInARow: 0,
  skipped: 0,
  validatedStep: -1,
  metricCursor: 0,
  episodes: 0,
  environmentSteps: 0,
  sampledTokens: 0,
  trainedTokens: 0,
};

/** What one completed iteration adds. */
export interface CompletedIteration {
  readonly groups: readonly TrajectoryGroup[];
  readonly update: { readonly policySteps: number; readonly criticSteps: number; readonly tokens: number };
  readonly hasSignal: boolean;
}

/** The state after one more iteration. */
export function advanceState(
  state: TrainerState,
  { groups, update, hasSignal }: CompletedIteration,
): TrainerState {
  const members = groups.flatMap((group) => group.members);
  const turns = members.flatMap((member) => member.turns);
  return {
    ...state,
    step: state.step + 1,
    policySteps: state.policySteps + update.policySteps,
    criticSteps: state.criticSteps + update.criticSteps,
    skippedInARow: hasSignal ? 0 : state.skippedInARow + 1,
    skipped: state.skipped + (hasSignal ? 0 : 1),
    episodes: state.episodes + members.length,
    environmentSteps: state.environmentSteps + turns.reduce((sum, turn) => sum + turn.actions.length, 0),
    sampledTokens:
      state.sampledTokens + turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    trainedTokens: state.trainedTokens + update.tokens,
  };
}

/**
 * Tells whether a stored attempt is part of what a state has counted; the others are made again after resuming.
 *
 * @param step of the event it came with
 */
export function isCounted(state: TrainerState, attempt: { readonly split: Split }, step: number): boolean {
  return step <= (attempt.split === 'train' ? state.step : state.validatedStep);
}
