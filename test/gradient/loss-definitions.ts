/**
 * @file Every loss term as a separate loss, and its inputs from a batch.
 */
import type { LossSpec } from '@espalier/contracts';
import {
  clippedSurrogate,
  clippedValueLoss,
  defineLoss,
  defineValueLoss,
  entropyBonus,
  klEstimators,
  klPenalty,
  type LossNumbers,
  nllLoss,
} from '@espalier/objective';
import { type DrawnBatch, type DrawnTrajectory, joinColumn } from './loss-batches.js';

type Options = DrawnBatch['options'];

/** A clipped surrogate with its bounds. */
export const surrogateLoss = (bounds: { clipLow: number; clipHigh: number; dualClip: number }) =>
  defineLoss({
    id: 'surrogate',
    params: bounds,
    columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, columns, params }) => clippedSurrogate({ logprobs, ...columns, ...params }),
  });

const valueLoss = (valueClip: number) =>
  defineValueLoss({
    id: 'value',
    params: { valueClip },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns, params }) => clippedValueLoss({ values, ...columns, ...params }),
  });

/** Defines every term with the options of a batch. */
export function defineTerms(options: Options): Record<string, LossSpec> {
  const { clipLow, clipHigh, dualClip, entropyCoefficient, klCoefficient, valueClip } = options;
  const penalties = klEstimators.map((estimator) => {
    const penalty = defineLoss({
      id: 'kl',
      params: { coefficient: klCoefficient, estimator },
      columns: ['referenceLogprobs'],
      build: ({ logprobs, columns, params }) => klPenalty(logprobs, columns.referenceLogprobs, params),
    });
    return [`kl-${estimator}`, penalty];
  });
  return {
    nll: nllLoss,
    surrogate: surrogateLoss({ clipLow, clipHigh, dualClip: 0 }),
    'surrogate-dual': surrogateLoss({ clipLow, clipHigh, dualClip }),
    ...(Object.fromEntries(penalties) as Record<string, LossSpec>),
    entropy: defineLoss({
      id: 'entropy',
      params: { entropyCoefficient },
      columns: [],
      build: ({ entropies, params }) => entropyBonus(entropies, params.entropyCoefficient),
    }),
    value: valueLoss(0),
    'value-clip': valueLoss(valueClip),
  };
}

/** Gathers the inputs of a loss from trajectory columns and computed columns. */
export function numbersOf(
  loss: LossSpec,
  trajectories: readonly DrawnTrajectory[],
  computed: Readonly<Record<string, readonly number[]>> = {},
): LossNumbers {
  const columnOf = (name: string) => computed[name] ?? joinColumn(trajectories, name);
  const columns = Object.fromEntries(loss.columns.map((name) => [name, columnOf(name)]));
  if (loss.columns.includes('oldValues')) return { values: columnOf('values'), columns };
  return { logprobs: columnOf('logprobs'), entropies: columnOf('entropies'), columns };
}
