/**
 * @file Clipped policy loss with an entropy bonus and, when asked, a penalty for leaving the starting policy; clipped
 * value loss. Paper: Schulman et al. 2017, arXiv:1707.06347, eq. 7 and 9. Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { PpoParams } from './params.js';

export const policyLoss = (options: PpoParams) => objective.clippedPolicyLoss('ppo', options, options);

export const valueLoss = ({ valueClip }: PpoParams) => objective.clippedCriticLoss('ppo', valueClip);
