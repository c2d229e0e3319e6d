/**
 * @file Clipped policy loss with an entropy bonus and, when asked, a penalty for leaving the starting policy; clipped
 * value loss. Paper: Schulman et al. 2017, arXiv:1707.06347, eq. 7 and 9. Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { PpoParams } from './params.js';

const {
  clippedSurrogate,
  clippedValueLoss,
  combineTerms,
  defineLoss,
  defineValueLoss,
  entropyBonus,
  klPenalty,
} = objective;

export function policyLoss(options: PpoParams) {
  const { clipLow, clipHigh, dualClip, entropyCoefficient } = options;
  const params = { clipLow, clipHigh, dualClip, entropyCoefficient };
  if (options.klCoefficient > 0) return withReference(params, options);
  return defineLoss({
    id: 'ppo/policy',
    params,
    columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, entropies, columns }) =>
      combineTerms(
        clippedSurrogate({ logprobs, ...columns, ...params }),
        entropyBonus(entropies, entropyCoefficient),
      ),
  });
}

function withReference(
  clipping: Pick<PpoParams, 'clipLow' | 'clipHigh' | 'dualClip' | 'entropyCoefficient'>,
  { klCoefficient, klEstimator }: PpoParams,
) {
  return defineLoss({
    id: 'ppo/policy-with-reference',
    params: { ...clipping, klCoefficient, klEstimator },
    columns: ['oldLogprobs', 'advantages', 'referenceLogprobs'],
    build: ({ logprobs, entropies, columns }) =>
      combineTerms(
        clippedSurrogate({ logprobs, ...columns, ...clipping }),
        entropyBonus(entropies, clipping.entropyCoefficient),
        klPenalty(logprobs, columns.referenceLogprobs, {
          coefficient: klCoefficient,
          estimator: klEstimator,
        }),
      ),
  });
}

export function valueLoss({ valueClip }: PpoParams) {
  return defineValueLoss({
    id: 'ppo/value',
    params: { valueClip },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns }) => clippedValueLoss({ values, ...columns, valueClip }),
  });
}
