/** @file The losses that the conformance suite of engines asks for, as the embedded engine takes them. */
import type { LossSpec } from '@espalier/contracts';
import { mul, neg, sub } from '@espalier/graph';
import type { LossBuilder, ValueLossBuilder } from '@espalier/objective';

/** Negative log-likelihood. */
export const likelihoodLoss: LossSpec = {
  id: 'likelihood',
  params: {},
  columns: [],
  build: (({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} })) satisfies LossBuilder,
};

/** Squared error of a critic against the column `returns`. */
export const valueLoss: LossSpec = {
  id: 'squared-error',
  params: {},
  columns: ['returns'],
  build: (({ values, columns }) => {
    const error = sub(values, columns['returns'] ?? values);
    return { perToken: mul(error, error), metrics: {} };
  }) satisfies ValueLossBuilder,
};
