/**
 * @file Policy losses made of a surrogate, an entropy bonus and an optional KL penalty against the reference policy. The
 * terms and their papers are in terms/; other algorithms combine them differently.
 */
import type { LossSpec } from '@espalier/contracts';
import type { Tensor } from '@espalier/graph';
import { defineLoss, type LossOutput } from './define-loss.js';
import { clippedSurrogate } from './terms/clipped-surrogate.js';
import { combineTerms } from './terms/combine.js';
import { entropyBonus } from './terms/entropy.js';
import { type KlEstimator, klPenalty } from './terms/kl.js';
import type { SurrogateInput } from './terms/ratio.js';

interface ClippedPolicyOptions {
  readonly clipLow: number;
  readonly clipHigh: number;
  /** more than 1, or 0 = off */
  readonly dualClip: number;
  readonly entropyCoefficient: number;
  readonly entropyTarget?: number | undefined;
}

interface ReferenceOptions {
  readonly klCoefficient: number;
  readonly klEstimator: KlEstimator;
  /** given: the weight is the column `klCoefficient` */
  readonly klTarget?: number | undefined;
  /** given: the weight of the entropy bonus is the column `entropyCoefficient` */
  readonly entropyTarget?: number | undefined;
}

/**
 * Builds the loss `<id>/policy`, or `<id>/policy-with-reference` when `reference` has a coefficient above 0, from a clipped
 * surrogate.
 *
 * @see Schulman et al. 2017, arXiv:1707.06347, eq. 7 and 9; Shao et al. 2024, arXiv:2402.03300, eq. 3 and 4
 */
export function clippedPolicyLoss(id: string, options: ClippedPolicyOptions, reference?: ReferenceOptions) {
  const { clipLow, clipHigh, dualClip, entropyCoefficient, entropyTarget } = options;
  const bounds = { clipLow, clipHigh, dualClip };
  const params = { ...bounds, entropyCoefficient };
  const named: LossSpec['named'] =
    dualClip === 0 ? { name: 'ppo', lowest: 1 - clipLow, highest: 1 + clipHigh } : undefined;
  return composePolicyLoss(
    id,
    params,
    (input) => clippedSurrogate({ ...input, ...bounds }),
    reference ?? { klCoefficient: 0, klEstimator: 'k1', entropyTarget },
    [],
    named,
  );
}

/**
 * The same around another surrogate.
 *
 * @param params every number that the surrogate reads, and the weight of the entropy bonus
 * @param ofStep names of columns that the surrogate reads besides, computed before each optimizer step
 * @param named the named loss that the surrogate alone equals
 */
export function composePolicyLoss<
  Params extends Readonly<Record<string, number>>,
  const Column extends string = never,
>(
  id: string,
  params: Params & { readonly entropyCoefficient: number },
  surrogate: (input: SurrogateInput & { readonly [Name in Column]: Tensor }) => LossOutput,
  reference?: ReferenceOptions,
  ofStep: readonly Column[] = [],
  named?: LossSpec['named'],
) {
  const { entropyCoefficient, ...rest } = params;
  const { klCoefficient = 0, klEstimator = 'k1', klTarget, entropyTarget } = reference ?? {};
  const hasReference = klCoefficient > 0;
  // what changes between updates is a column, so that the loss is compiled once
  const followsEntropy = entropyTarget !== undefined;
  const followsKl = hasReference && klTarget !== undefined;
  const columns: readonly (SharedColumn | Column)[] = [
    'oldLogprobs',
    'advantages',
    ...ofStep,
    ...(hasReference ? (['referenceLogprobs'] as const) : []),
    ...(followsEntropy ? (['entropyCoefficient'] as const) : []),
    ...(followsKl ? (['klCoefficient'] as const) : []),
  ];
  const isPlain = !hasReference && !followsEntropy && entropyCoefficient === 0;
  return defineLoss({
    id: `${id}/policy${hasReference ? '-with-reference' : ''}`,
    params: {
      ...rest,
      ...(followsEntropy ? {} : { entropyCoefficient }),
      ...(followsKl ? { klEstimator } : hasReference ? { klCoefficient, klEstimator } : {}),
    },
    columns,
    ...(isPlain && named !== undefined ? { named } : {}),
    build: ({ logprobs, entropies, columns: own }) =>
      combineTerms(
        surrogate({ logprobs, ...own }),
        entropyBonus(entropies, followsEntropy ? own.entropyCoefficient : entropyCoefficient),
        ...(hasReference
          ? [
              klPenalty(logprobs, own.referenceLogprobs, {
                coefficient: followsKl ? own.klCoefficient : klCoefficient,
                estimator: klEstimator,
              }),
            ]
          : []),
      ),
  });
}

type SharedColumn =
  | 'oldLogprobs'
  | 'advantages'
  | 'referenceLogprobs'
  | 'entropyCoefficient'
  | 'klCoefficient';
