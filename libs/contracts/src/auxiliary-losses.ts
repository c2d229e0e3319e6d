/** @file Options of `update` for losses beside that of the algorithm, whose gradients are added. */
import { z } from 'zod';

const observationLoss = z
  .strictObject({
    coefficient: z
      .number()
      .min(0)
      .max(10)
      .default(0)
      .describe('weight of the cross-entropy beside the policy loss; 0 = off, 0.01 to 0.05 in the paper'),
  })
  .prefault({})
  .describe(
    'ECHO: the policy also learns to predict what the environment shows, so that episodes without a reward teach too',
  );

const selfDistillation = z
  .strictObject({
    coefficient: z
      .number()
      .min(0)
      .max(10)
      .default(0)
      .describe(
        'weight beside the policy loss of the mean over distilled tokens of gate · KL(policy ‖ teacher); 0 = off, 0.01 in the paper of the gate',
      ),
    gate: z
      .number()
      .min(0)
      .max(1000)
      .nullable()
      .default(5)
      .describe(
        'slope β of the gate σ(β · (teacher − policy log-probability)), which weighs tokens that the teacher finds less likely down; null: every token counts alike',
      ),
  })
  .prefault({})
  .describe(
    'a failed trajectory also learns from the policy itself when that has seen a successful one of the same group first (SDPO with the gate of SDAR); where an older policy sampled it (rollout.ahead, update.replay), the policy scores it once more',
  );

/** What `update` has of them. */
export const auxiliaryLosses = { observationLoss, selfDistillation };
