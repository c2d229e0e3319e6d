/** @file Operations on loss terms that several terms share. */
import { add, cast, type Tensor } from '@espalier/graph';
import type { LossOutput } from '../define-loss.js';

/** Adds loss terms token by token and merges their metrics. */
export function combineTerms(first: LossOutput, ...others: readonly LossOutput[]): LossOutput {
  return others.reduce(
    (sum, term) => ({
      perToken: add(sum.perToken, term.perToken),
      metrics: { ...sum.metrics, ...term.metrics },
    }),
    first,
  );
}

/** Converts a condition to 1 and 0 of the dtype of `like`. */
export function indicator(condition: Tensor, like: Tensor): Tensor {
  return cast(condition, like.dtype);
}
