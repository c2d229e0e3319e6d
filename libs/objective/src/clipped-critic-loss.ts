/** @file The value loss that algorithms with a critic share. The term and its paper are in terms/value.ts. */
import { defineValueLoss } from './define-loss.js';
import { clippedValueLoss } from './terms/value.js';

/**
 * Builds the loss `<id>/value`.
 *
 * @param valueClip how far a value may move from the old one before its gradient vanishes, in the units that the critic predicts; 0 = off
 */
export function clippedCriticLoss(id: string, valueClip: number) {
  return defineValueLoss({
    id: `${id}/value`,
    params: { valueClip },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns }) => clippedValueLoss({ values, ...columns, valueClip }),
  });
}
