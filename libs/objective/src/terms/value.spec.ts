import { describe, expect, it } from 'vitest';
import { defineValueLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { clippedValueLoss } from './value.js';

const loss = (valueClip: number) =>
  defineValueLoss({
    id: 'value',
    params: { valueClip },
    columns: ['oldValues', 'returns'],
    build: ({ values, columns, params }) => clippedValueLoss({ values, ...columns, ...params }),
  });

// Unchanged; within the bound; beyond it towards the return; beyond it away from the return.
const numbers = {
  values: [1, 1.2, 2, -1],
  columns: { oldValues: [1, 1, 1, 1], returns: [3, 3, 3, 3] },
};
const expectClose = (actual: readonly number[] | undefined, expected: readonly number[], digits = 12) => {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((entry, i) => expect((actual as number[])[i]).toBeCloseTo(entry, digits));
};

describe('clippedValueLoss', () => {
  it('matches a case computed by hand', () => {
    // ½ of 2², 1.8², max(1², 1.5²), max(4², 2.5²)
    const { perToken, metrics } = evaluateLoss(loss(0.5), numbers);
    expectClose(perToken, [2, 1.62, 1.125, 8]);
    expectClose(metrics['critic/loss'], [2, 1.62, 1.125, 8]);
    expectClose(metrics['critic/clip_fraction'], [0, 0, 1, 0]);
    expectClose(metrics['critic/value'], numbers.values);
  });

  it('is half the squared error without a clip', () => {
    const { perToken, metrics } = evaluateLoss(loss(0), numbers);
    expectClose(perToken, [2, 1.62, 0.5, 8]);
    expect(metrics).not.toHaveProperty('critic/clip_fraction');
  });

  it.each([0, 0.5])('has a gradient that matches finite differences (clip %d)', (valueClip) => {
    const { gradients } = evaluateLoss(loss(valueClip), numbers);
    expectClose(gradients['values'], [-2, -1.8, valueClip === 0 ? -1 : 0, -4]);
    expectClose(gradients['values'], estimateLossGradient(loss(valueClip), numbers)['values'] as number[], 6);
  });
});
