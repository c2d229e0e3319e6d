import type { DerivedNumbers } from '@espalier/contracts';

/** The settings that determine the derived numbers. */
export interface BudgetSettings {
  readonly steps: number;
  readonly rollout: { readonly promptsPerStep: number; readonly groupSize: number };
  readonly update: { readonly epochs: number; readonly miniBatches: number };
}

/**
 * Computes the numbers that the settings determine.
 *
 * @param keptShare share of groups that the algorithm keeps, in (0, 1]; rounded down to whole groups
 */
export function deriveNumbers({ steps, rollout, update }: BudgetSettings, keptShare: number): DerivedNumbers {
  const trajectoriesPerStep = rollout.promptsPerStep * rollout.groupSize;
  // the small term keeps 0.3 · 10 from rounding down to 2
  const keptGroupsPerStep = Math.floor(keptShare * rollout.promptsPerStep + 1e-9);
  const optimizerStepsPerStep = update.epochs * update.miniBatches;
  return {
    trajectoriesPerStep,
    keptGroupsPerStep,
    trajectoriesPerMiniBatch: (keptGroupsPerStep * rollout.groupSize) / update.miniBatches,
    optimizerStepsPerStep,
    optimizerSteps: steps * optimizerStepsPerStep,
    episodes: steps * trajectoriesPerStep,
  };
}
