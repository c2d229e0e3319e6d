/**
 * @file Clipped policy loss with a wider bound above than below, an entropy bonus, and no penalty for leaving the
 * starting policy; clipped value loss. Paper: Wang et al. 2025, arXiv:2504.20073 (StarPO-S). Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { StarpoSParams } from './params.js';

/** As in the reference's training library. */
const DUAL_CLIP = 3;
const VALUE_CLIP = 0.5;

export const policyLoss = (options: StarpoSParams) =>
  objective.clippedPolicyLoss('starpo-s', { ...options, dualClip: DUAL_CLIP });

export const valueLoss = () => objective.clippedCriticLoss('starpo-s', VALUE_CLIP);
