/**
 * @file Clipped policy loss with an entropy bonus and, when asked, a penalty for leaving the starting policy; clipped
 * value loss. Paper: Schulman et al. 2017, arXiv:1707.06347, eq. 7 and 9. Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { PpoParams } from './params.js';

const { clippedPolicyLoss, clippedValueLoss, defineValueLoss } = objective;

export const policyLoss = (options: PpoParams) => clippedPolicyLoss('ppo', options, options);

export function valueLoss({ valueClip }: PpoParams) {
  return defineValueLoss({
    id: 'ppo/value',
    params: { valueClip },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns }) => clippedValueLoss({ values, ...columns, valueClip }),
  });
}
