/**
 * @file A policy loss and the cross-entropy of observation tokens in one: a forward and backward pass then serves both (ECHO,
 * arXiv:2605.24517).
 */
import type { LossSpec } from '@espalier/contracts';
import { greater, neg, where } from '@espalier/graph';
import type { LossBuilder } from '../define-loss.js';

/** Column that is 1 for observation tokens and 0 for those of the policy loss. */
export const OBSERVED = 'observed';

/** Makes a loss that is −log π for observation tokens, and the given one for all others, which sees nothing of them. */
export function withObservedTokens(loss: LossSpec): LossSpec & { readonly build: LossBuilder } {
  const build: LossBuilder = ({ logprobs, entropies, columns, params }) => {
    const observed = greater(columns[OBSERVED]!, 0.5); // [N]
    const own = (loss.build as LossBuilder)({
      logprobs: where(observed, 0, logprobs),
      entropies: where(observed, 0, entropies),
      columns,
      params,
    });
    const metrics = Object.entries(own.metrics).map(([name, values]) => [name, where(observed, 0, values)]);
    return {
      perToken: where(observed, neg(logprobs), own.perToken),
      metrics: Object.fromEntries(metrics) as typeof own.metrics,
    };
  };
  return { id: `${loss.id}+nll`, params: loss.params, columns: [...loss.columns, OBSERVED], build };
}
