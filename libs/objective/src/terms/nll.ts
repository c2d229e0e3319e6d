/**
 * @file The imitation loss: the negative log-likelihood of the given tokens.
 */
import { defineMetric } from '@espalier/contracts';
import { neg } from '@espalier/graph';
import { defineLoss } from '../define-loss.js';
import { combineTerms } from './combine.js';
import { entropyBonus } from './entropy.js';

const NLL = defineMetric({
  name: 'policy/nll',
  unit: 'nats',
  formula: 'mean of -logprob of the given tokens, weighted as the loss',
});

/** Negative log-likelihood of the given tokens; needs no columns. */
export const nllLoss = defineLoss({
  named: { name: 'cross_entropy' },
  id: 'nll',
  params: {},
  columns: [],
  build: ({ logprobs, entropies }) => {
    const nll = neg(logprobs); // [N]
    return combineTerms({ perToken: nll, metrics: { [NLL.name]: nll } }, entropyBonus(entropies, 0));
  },
});
