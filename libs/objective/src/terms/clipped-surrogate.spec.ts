import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { clippedSurrogate } from './clipped-surrogate.js';

const loss = (dualClip: number) =>
  defineLoss({
    id: 'surrogate',
    params: { clipLow: 0.2, clipHigh: 0.28, dualClip },
    columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, columns, params }) => clippedSurrogate({ logprobs, ...columns, ...params }),
  });

// Ratios of six tokens against old log-probabilities of 0, and their advantages.
const ratios = [1.1, 1.5, 1.5, 0.5, 0.5, 4];
const advantages = [2, 2, -2, 2, -2, -2];
const numbers = {
  logprobs: ratios.map(Math.log),
  columns: { oldLogprobs: ratios.map(() => 0), advantages },
};
const expectClose = (actual: readonly number[] | undefined, expected: readonly number[], digits = 12) => {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => expect((actual as number[])[i]).toBeCloseTo(value, digits));
};

describe('clippedSurrogate', () => {
  it('matches a case computed by hand', () => {
    // good tokens gain at most 1.28 A; bad ones count fully above and at least 0.8 A below
    expectClose(evaluateLoss(loss(0), numbers).perToken, [-2.2, -2.56, 3, -1, 1.6, 8]);
  });

  it('bounds the loss of bad tokens by the dual clip', () => {
    expectClose(evaluateLoss(loss(3), numbers).perToken, [-2.2, -2.56, 3, -1, 1.6, 6]);
  });

  it('reports on which side tokens were clipped', () => {
    const { metrics } = evaluateLoss(loss(3), numbers);
    expectClose(metrics['policy/clip_fraction_high'], [0, 1, 0, 0, 0, 0]);
    expectClose(metrics['policy/clip_fraction_low'], [0, 0, 0, 0, 1, 0]);
    expectClose(metrics['policy/clip_fraction_dual'], [0, 0, 0, 0, 0, 1]);
    expectClose(metrics['policy/ratio'], ratios);
    expectClose(
      metrics['policy/approx_kl'],
      ratios.map((ratio) => -Math.log(ratio)),
    );
  });

  it.each([0, 3])('has the gradient that finite differences show (dual clip %d)', (dualClip) => {
    const { gradients } = evaluateLoss(loss(dualClip), numbers);
    expectClose(
      gradients['logprobs'],
      estimateLossGradient(loss(dualClip), numbers)['logprobs'] as number[],
      6,
    );
    // -A r where unclipped, 0 where clipped
    expectClose(gradients['logprobs'], [-2.2, 0, 3, -1, 0, dualClip === 0 ? 8 : 0]);
  });

  it('is the plain policy gradient on the first update, where every ratio is 1', () => {
    const fresh = { logprobs: [-1, -2], columns: { oldLogprobs: [-1, -2], advantages: [3, -4] } };
    expectClose(evaluateLoss(loss(3), fresh).gradients['logprobs'], [-3, 4]);
  });

  it('stays finite for a ratio beyond all bounds', () => {
    const wild = { logprobs: [0, -900], columns: { oldLogprobs: [-900, 0], advantages: [-1, -1] } };
    const { perToken, gradients } = evaluateLoss(loss(0), wild);
    expectClose([Math.log(perToken[0] as number), perToken[1] as number], [20, 0.8]);
    expectClose(gradients['logprobs'], [0, 0]);
  });
});
