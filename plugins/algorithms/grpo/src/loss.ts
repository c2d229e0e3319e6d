/**
 * @file Clipped policy loss on group-relative advantages, with an entropy bonus and, when asked, a penalty for leaving
 * the starting policy. Paper: Shao et al. 2024, arXiv:2402.03300, eq. 3 and 4. Differences: README.md.
 */
import { objective } from '@espalier/plugin-kit';
import type { GrpoParams } from './params.js';

const { clippedSurrogate, combineTerms, defineLoss, entropyBonus, klPenalty } = objective;

export function policyLoss(options: GrpoParams) {
  const { clipLow, clipHigh, dualClip, entropyCoefficient } = options;
  const params = { clipLow, clipHigh, dualClip, entropyCoefficient };
  if (options.klCoefficient > 0) return withReference(params, options);
  return defineLoss({
    id: 'grpo/policy',
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
  clipping: Pick<GrpoParams, 'clipLow' | 'clipHigh' | 'dualClip' | 'entropyCoefficient'>,
  { klCoefficient, klEstimator }: GrpoParams,
) {
  return defineLoss({
    id: 'grpo/policy-with-reference',
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
