/**
 * @file Everything that changes over a run besides weights and moments. It holds no state of random numbers: every
 * stream is derived by name from the run's seed and the step.
 */
import type { TrajectoryGroup } from '@espalier/contracts';

export interface TrainerState {
  /** iterations completed */
  readonly step: number;
  /** optimizer steps made */
  readonly policySteps: number;
  readonly criticSteps: number;
  /** iterations without signal, and hence without a policy update: in a row, and in total */
  readonly skippedInARow: number;
  readonly skipped: number;
  /** step of the last finished validation; -1 before the first */
  readonly validatedStep: number;
  readonly episodes: number;
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
}

export const startState: TrainerState = {
  step: 0,
  policySteps: 0,
  criticSteps: 0,
  skippedInARow: 0,
  skipped: 0,
  validatedStep: -1,
  episodes: 0,
  environmentSteps: 0,
  sampledTokens: 0,
  trainedTokens: 0,
};

/** Parses a stored state; undefined when it is invalid. */
export function parseTrainerState(value: unknown): TrainerState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isWhole = (name: string): boolean => Number.isSafeInteger((value as Record<string, unknown>)[name]);
  const hasAll = Object.keys(startState).every(isWhole);
  return hasAll && Object.keys(value).length === Object.keys(startState).length
    ? (value as TrainerState)
    : undefined;
}

/** The result of one completed iteration. */
export interface CompletedIteration {
  readonly groups: readonly TrajectoryGroup[];
  readonly update: { readonly policySteps: number; readonly criticSteps: number; readonly tokens: number };
  readonly hasSignal: boolean;
}

/** Gives the state after one more iteration. */
export function advanceState(
  state: TrainerState,
  { groups, update, hasSignal }: CompletedIteration,
): TrainerState {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  return {
    ...state,
    step: state.step + 1,
    policySteps: state.policySteps + update.policySteps,
    criticSteps: state.criticSteps + update.criticSteps,
    skippedInARow: hasSignal ? 0 : state.skippedInARow + 1,
    skipped: state.skipped + (hasSignal ? 0 : 1),
    episodes: state.episodes + trajectories.length,
    environmentSteps: state.environmentSteps + turns.reduce((sum, turn) => sum + turn.actions.length, 0),
    sampledTokens:
      state.sampledTokens + turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    trainedTokens: state.trainedTokens + update.tokens,
  };
}
