import type { DerivedNumbers } from '@espalier/contracts';

/** The settings that the derived numbers follow from. */
export interface BudgetSettings {
  readonly steps: number;
  readonly rollout: { readonly promptsPerStep: number; readonly groupSize: number };
  readonly update: { readonly epochs: number; readonly miniBatches: number };
}

/**
 * Computes what follows from the settings.
 *
 * @param keptShare share of groups the algorithm keeps, in (0, 1]; whole groups are kept, rounded down
 */
export function deriveNumbers({ steps, rollout, update }: BudgetSettings, keptShare: number): DerivedNumbers {
  const trajectoriesPerStep = rollout.promptsPerStep * rollout.groupSize;
  // The small term keeps 0.3 · 10 from becoming 2.
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
