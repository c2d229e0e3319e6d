import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import ipo from './index.js';

const parse = (options: object = {}) => ipo.params.parse(options);
/** Of one token whose probability was `before` and is `now`. */
const evaluate = (before: number, now: number, advantage: number, options: object = {}) =>
  objective.evaluateLoss(ipo.policyLoss(parse(options)), {
    logprobs: [Math.log(now)],
    columns: { oldLogprobs: [Math.log(before)], advantages: [advantage] },
  });
const gradientOf = (...given: Parameters<typeof evaluate>) => evaluate(...given).gradients['logprobs']?.[0];

testAlgorithm(ipo);
testAlgorithm(ipo, {
  params: { normalization: 'group', maxShift: 0.3, pull: 0.1, klCoefficient: 0.1, klEstimator: 'k3' },
});

describe('ipo', () => {
  it('weighs a token with its ratio and pulls it back, by hand', () => {
    const { perToken, gradients } = evaluate(0.5, 0.55, 2, { pull: 0.5 });
    const log = Math.log(1.1);
    expect(perToken[0]).toBeCloseTo(-2.2 + 0.5 * log * log, 12);
    expect(gradients['logprobs']?.[0]).toBeCloseTo(-2.2 + log, 12);
  });

  it.each([
    ['up, good', 0.5, 0.7, 1],
    ['up, bad', 0.5, 0.7, -1],
    ['down, good', 0.5, 0.3, 1],
    ['down, bad', 0.5, 0.3, -1],
  ])('stops a token that has moved too far: %s', (_, before, now, advantage) => {
    expect(gradientOf(before, now, advantage, { pull: 0 })).toBeCloseTo(0, 12);
    expect(gradientOf(before, now, advantage, { pull: 0, maxShift: 0.25 })).not.toBeCloseTo(0, 3);
    // what is left is the pull
    expect(gradientOf(before, now, advantage, { pull: 0.5 })).toBeCloseTo(Math.log(now / before), 12);
  });

  it('goes by probabilities, not by ratios', () => {
    // a rare token may grow a hundredfold, a likely one may not fall to a half
    expect(gradientOf(1e-4, 1e-2, 1, { pull: 0 })).toBeCloseTo(-100, 9);
    expect(gradientOf(0.9, 0.45, -1, { pull: 0 })).toBeCloseTo(0, 12);
  });

  it('reports on which side tokens are stopped', () => {
    const metricsOf = (now: number) => {
      const { metrics } = evaluate(0.5, now, 1);
      return [metrics['policy/masked_fraction_low']?.[0], metrics['policy/masked_fraction_high']?.[0]];
    };
    expect([metricsOf(0.3), metricsOf(0.45), metricsOf(0.7)]).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
    ]);
    expect(
      objective.estimateTokenEffects(ipo.policyLoss(parse()), {
        logprobs: [Math.log(0.7), Math.log(0.5)],
        columns: { oldLogprobs: [Math.log(0.5), Math.log(0.5)], advantages: [1, 1] },
      })?.clipped,
    ).toEqual(['high', undefined]);
  });

  it('names what has no effect in a single optimizer step', () => {
    const named = ipo.inert?.(parse(), { optimizerStepsPerStep: 1 });
    expect(named).toEqual(['klEstimator', 'maxShift', 'pull']);
    expect(ipo.inert?.(parse({ klCoefficient: 1 }), { optimizerStepsPerStep: 2 })).toEqual([]);
    expect(gradientOf(0.5, 0.5, 3)).toBeCloseTo(-3, 12);
  });
});
