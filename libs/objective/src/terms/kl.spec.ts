import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { type KlEstimator, klEstimators, klPenalty } from './kl.js';

const loss = (estimator: KlEstimator, coefficient = 1) =>
  defineLoss({
    id: 'kl',
    params: { estimator, coefficient },
    columns: ['referenceLogprobs'],
    build: ({ logprobs, columns, params }) => klPenalty(logprobs, columns.referenceLogprobs, params),
  });

const differences = [-0.5, 0.25, 1.5];
const numbers = {
  logprobs: differences.map((x) => x - 2),
  columns: { referenceLogprobs: differences.map(() => -2) },
};
const value: Record<KlEstimator, (x: number) => number> = {
  k1: (x) => x,
  abs: Math.abs,
  k2: (x) => (x * x) / 2,
  k3: (x) => Math.exp(-x) + x - 1,
  'k3-straight-through': (x) => Math.exp(-x) + x - 1,
};
const expectClose = (actual: readonly number[] | undefined, expected: readonly number[], digits = 12) => {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((entry, i) => expect((actual as number[])[i]).toBeCloseTo(entry, digits));
};

describe('klPenalty', () => {
  it.each(klEstimators)('has the value of its formula and reports it (%s)', (estimator) => {
    const { perToken, metrics } = evaluateLoss(loss(estimator, 0.5), numbers);
    expectClose(
      perToken,
      differences.map((x) => value[estimator](x) / 2),
    );
    expectClose(metrics['policy/kl_reference'], differences.map(value[estimator]));
  });

  it.each(['k1', 'abs', 'k2', 'k3'] as const)(
    'has a gradient that matches finite differences (%s)',
    (estimator) => {
      const { gradients } = evaluateLoss(loss(estimator), numbers);
      expectClose(
        gradients['logprobs'],
        estimateLossGradient(loss(estimator), numbers)['logprobs'] as number[],
        6,
      );
    },
  );

  it('gives straight-through k3 the gradient of k2, the difference itself', () => {
    expectClose(evaluateLoss(loss('k3-straight-through'), numbers).gradients['logprobs'], differences);
  });

  it('is 0 with gradient 0 at the reference itself', () => {
    const same = { logprobs: [-1], columns: { referenceLogprobs: [-1] } };
    for (const estimator of ['k2', 'k3', 'k3-straight-through'] as const) {
      expectClose(evaluateLoss(loss(estimator), same).perToken, [0]);
      expectClose(evaluateLoss(loss(estimator), same).gradients['logprobs'], [0]);
    }
  });

  it('clips k3 to 10 for a token that the policy makes almost impossible', () => {
    const far = { logprobs: [-500], columns: { referenceLogprobs: [-1] } };
    expectClose(evaluateLoss(loss('k3'), far).perToken, [10]);
  });
});
