import type { LossSpec } from '@espalier/contracts';
import { add, exp, mul, neg, scale, sub } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { OBSERVED, withObservedTokens } from './observed-tokens.js';

/** −ratio · advantage − 0.1 · entropy, and exp(old − new), which is infinite where a token is as unlikely as observations are. */
const policy: LossSpec = defineLoss({
  id: 'policy',
  params: {},
  columns: ['oldLogprobs', 'advantages'],
  build: ({ logprobs, entropies, columns: { oldLogprobs, advantages } }) => {
    const inverse = exp(sub(oldLogprobs, logprobs));
    const gain = mul(exp(sub(logprobs, oldLogprobs)), advantages);
    return { perToken: add(neg(gain), sub(inverse, scale(entropies, 0.1))), metrics: { inverse } };
  },
});

// the second and the fourth are observations
const logprobs = [-1, -900, -0.5, -2];
const entropies = [0.5, 1, 0.25, 2];
const columns = {
  oldLogprobs: [-1.2, 0, -0.5, 0],
  advantages: [2, 0, -1, 0],
  [OBSERVED]: [0, 1, 0, 1],
};

describe('a policy loss with observation tokens', () => {
  const joined = withObservedTokens(policy);
  const evaluated = evaluateLoss(joined, { logprobs, entropies, columns });

  it('is that of the policy for its tokens, and −log π for observations', () => {
    const alone = evaluateLoss(policy as never, {
      logprobs: [-1, -0.5],
      entropies: [0.5, 0.25],
      columns: { oldLogprobs: [-1.2, -0.5], advantages: [2, -1] },
    });
    expect(evaluated.perToken).toEqual([alone.perToken[0], 900, alone.perToken[1], 2]);
    // e^0.2 · −2 + e^−0.2 − 0.05
    expect(alone.perToken[0]).toBeCloseTo(-2 * Math.exp(0.2) + Math.exp(-0.2) - 0.05, 6);
    expect(evaluated.metrics['inverse']).toEqual([
      alone.metrics['inverse']?.[0],
      0,
      alone.metrics['inverse']?.[1],
      0,
    ]);
    const own = evaluated.gradients['logprobs'] ?? [];
    expect(own).toEqual([alone.gradients['logprobs']?.[0], -1, alone.gradients['logprobs']?.[1], -1]);
    // an observation has no entropy bonus
    expect(evaluated.gradients['entropies']?.map((value) => Math.abs(value))).toEqual([
      expect.closeTo(0.1, 6),
      0,
      expect.closeTo(0.1, 6),
      0,
    ]);
  });

  it('has the gradient of finite differences', () => {
    const near = [-1, -3, -0.5, -2];
    const differences = estimateLossGradient(joined, { logprobs: near, entropies, columns });
    const { gradients } = evaluateLoss(joined, { logprobs: near, entropies, columns });
    for (const name of ['logprobs', 'entropies'])
      gradients[name]?.forEach((value, n) => expect(differences[name]?.[n]).toBeCloseTo(value, 5));
  });

  it('has a name and columns of its own, and none that a server knows', () => {
    expect(joined).toMatchObject({ id: 'policy+nll', columns: ['oldLogprobs', 'advantages', 'observed'] });
    expect(joined.named).toBeUndefined();
  });
});
