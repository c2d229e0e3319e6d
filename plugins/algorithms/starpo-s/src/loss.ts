/**
 * @file Clipped policy loss with a wider bound above than below, an entropy bonus, and no penalty for leaving the
 * starting policy; clipped value loss. Paper: Wang et al. 2025, arXiv:2504.20073 (StarPO-S). Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { StarpoSParams } from './params.js';

const { clippedPolicyLoss, clippedValueLoss, defineValueLoss } = objective;

/** As in the reference's training library. */
const DUAL_CLIP = 3;
const VALUE_CLIP = 0.5;

export const policyLoss = (options: StarpoSParams) =>
  clippedPolicyLoss('starpo-s', { ...options, dualClip: DUAL_CLIP });

export function valueLoss() {
  return defineValueLoss({
    id: 'starpo-s/value',
    params: { valueClip: VALUE_CLIP },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns }) => clippedValueLoss({ values, ...columns, valueClip: VALUE_CLIP }),
  });
}
