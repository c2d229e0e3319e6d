/**
 * @file The policy loss that clipped algorithms share: clipped surrogate, entropy bonus and an optional KL penalty against
 * the reference policy. The terms and their papers are in terms/; other algorithms combine them differently.
 */
import { defineLoss } from './define-loss.js';
import { clippedSurrogate } from './terms/clipped-surrogate.js';
import { combineTerms } from './terms/combine.js';
import { entropyBonus } from './terms/entropy.js';
import { type KlEstimator, klPenalty } from './terms/kl.js';

interface ClippedPolicyOptions {
  readonly clipLow: number;
  readonly clipHigh: number;
  /** more than 1, or 0 = off */
  readonly dualClip: number;
  readonly entropyCoefficient: number;
}

interface ReferenceOptions {
  readonly klCoefficient: number;
  readonly klEstimator: KlEstimator;
}

/**
 * Builds the loss `<id>/policy`, or `<id>/policy-with-reference` when `reference` has a coefficient above 0.
 *
 * @see Schulman et al. 2017, arXiv:1707.06347, eq. 7 and 9; Shao et al. 2024, arXiv:2402.03300, eq. 3 and 4
 */
export function clippedPolicyLoss(id: string, options: ClippedPolicyOptions, reference?: ReferenceOptions) {
  const { clipLow, clipHigh, dualClip, entropyCoefficient } = options;
  const params = { clipLow, clipHigh, dualClip, entropyCoefficient };
  if (reference !== undefined && reference.klCoefficient > 0) return withReference(id, params, reference);
  return defineLoss({
    id: `${id}/policy`,
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
  id: string,
  clipping: ClippedPolicyOptions,
  { klCoefficient, klEstimator }: ReferenceOptions,
) {
  return defineLoss({
    id: `${id}/policy-with-reference`,
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
