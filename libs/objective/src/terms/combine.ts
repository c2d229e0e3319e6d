import { add } from '@espalier/graph';
import type { LossOutput } from '../loss-builder.js';

/** Adds loss terms token by token and joins their metrics. */
export function combineTerms(first: LossOutput, ...others: readonly LossOutput[]): LossOutput {
  return others.reduce(
    (sum, term) => ({
      perToken: add(sum.perToken, term.perToken),
      metrics: { ...sum.metrics, ...term.metrics },
    }),
    first,
  );
}
