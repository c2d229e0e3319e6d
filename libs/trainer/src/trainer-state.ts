/**
 * @file Everything that changes over a run besides weights and moments. Random numbers are not part of it: every
 * stream is derived by name from the run's seed and the step, so the step says where all of them stand.
 */
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
