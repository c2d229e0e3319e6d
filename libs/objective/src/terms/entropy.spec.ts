import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { entropyBonus } from './entropy.js';
import { nllLoss } from './nll.js';

const bonus = (coefficient: number) =>
  defineLoss({
    id: 'entropy',
    params: { coefficient },
    columns: [],
    build: ({ entropies, params }) => entropyBonus(entropies, params.coefficient),
  });
const numbers = { logprobs: [-1, -2], entropies: [0.5, 2] };

describe('entropyBonus', () => {
  it('lowers the loss by the coefficient times the entropy', () => {
    const { perToken, metrics, gradients } = evaluateLoss(bonus(0.25), numbers);
    expect(perToken).toEqual([-0.125, -0.5]);
    expect(metrics['policy/entropy']).toEqual([0.5, 2]);
    expect(gradients['entropies']).toEqual([-0.25, -0.25]);
    expect(estimateLossGradient(bonus(0.25), numbers)['entropies']?.[1]).toBeCloseTo(-0.25, 8);
  });

  it('only reports when the coefficient is 0', () => {
    const { perToken, metrics, gradients } = evaluateLoss(bonus(0), numbers);
    expect(perToken.map(Math.abs)).toEqual([0, 0]);
    expect(metrics['policy/entropy']).toEqual([0.5, 2]);
    expect(gradients['entropies']).toEqual([0, 0]);
  });
});

describe('nllLoss', () => {
  it('is minus the log-probability, with gradient -1, whatever the entropy', () => {
    const { perToken, metrics, gradients } = evaluateLoss(nllLoss, numbers);
    expect(perToken).toEqual([1, 2]);
    expect(metrics['policy/nll']).toEqual([1, 2]);
    expect(gradients).toEqual({ logprobs: [-1, -1], entropies: [0, 0] });
  });
});

describe('defineLoss', () => {
  it('names a column that the engine did not feed', () => {
    const loss = defineLoss({
      id: 'needy',
      params: {},
      columns: ['advantages'],
      build: ({ columns }) => ({ perToken: columns.advantages, metrics: {} }),
    });
    expect(() => evaluateLoss(loss, { logprobs: [0], columns: { returns: [1] } })).toThrow(
      expect.objectContaining({
        code: 'objective.missing_column',
        message: expect.stringContaining('loss needy: column "advantages" is missing among returns'),
      }),
    );
  });
});
