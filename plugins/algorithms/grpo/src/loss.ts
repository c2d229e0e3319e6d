/**
 * @file Clipped policy loss on group-relative advantages, with an entropy bonus and, when asked, a penalty for leaving
 * the starting policy. Paper: Shao et al. 2024, arXiv:2402.03300, eq. 3 and 4. Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { GrpoParams } from './params.js';

export const policyLoss = (options: GrpoParams) => objective.clippedPolicyLoss('grpo', options, options);
