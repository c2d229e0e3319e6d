import type { Datum, LossSpec, Trajectory } from '@espalier/contracts';
import { estimateLossGradient, evaluateLoss, nllLoss } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import { buildObservationBatch, learnObservations } from './observation-loss.js';

/** Tokens 0..9: an observation from the first token on, a template, a reply, a second observation. */
const first = {
  tokens: Int32Array.from([9, 1, 2, 3, 4, 5, 6, 7, 8, 0]),
  spans: [
    { kind: 'observation', start: 0, end: 3, turn: 0 },
    { kind: 'template', start: 3, end: 5, turn: 0 },
    { kind: 'answer', start: 5, end: 7, turn: 0 },
    { kind: 'observation', start: 7, end: 9, turn: 1 },
    { kind: 'control', start: 9, end: 10, turn: 1 },
  ],
} as unknown as Trajectory;
const second = {
  tokens: Int32Array.from([1, 2, 3]),
  spans: [{ kind: 'observation', start: 1, end: 2, turn: 0 }],
} as unknown as Trajectory;
const silent = { tokens: Int32Array.from([1]), spans: [] } as unknown as Trajectory;

describe('the loss on observations', () => {
  it('weighs every observation token but the first of a sequence alike, whatever its trajectory', () => {
    const [a, b, ...others] = buildObservationBatch([first, silent, second], 0.05);
    expect(others).toEqual([]);
    expect([...a!.positions]).toEqual([1, 2, 7, 8]);
    expect([...b!.positions]).toEqual([1]);
    expect([...a!.weights, ...b!.weights]).toEqual(new Array(5).fill(expect.closeTo(0.05 / 5, 9)));
    expect(a!.temperature).toBeUndefined();
  });

  it('is λ times the mean of -logprob, and so is its gradient', () => {
    const logprobs = [-0.5, -1.25, -2, -0.25, -3];
    const weights = buildObservationBatch([first, second], 0.05).flatMap((datum) => [...datum.weights]);
    const { perToken, gradients } = evaluateLoss(nllLoss, { logprobs });
    const weigh = (values: readonly number[]) => values.map((value, i) => value * weights[i]!);
    const loss = weigh(perToken).reduce((sum, value) => sum + value, 0);
    expect(loss).toBeCloseTo((0.05 * (0.5 + 1.25 + 2 + 0.25 + 3)) / 5, 8);
    const differences = estimateLossGradient(nllLoss, { logprobs })['logprobs'] ?? [];
    expect(gradients['logprobs']).toHaveLength(5);
    weigh(gradients['logprobs'] ?? []).forEach((value, i) => {
      expect(value).toBeCloseTo(-0.05 / 5, 8);
      expect(weigh(differences)[i]).toBeCloseTo(value, 6);
    });
  });

  it('adds one pass and reports the mean; with a coefficient of 0 there is none', async () => {
    const calls: [readonly Datum[], LossSpec][] = [];
    const model = {
      forwardBackward: async (batch: readonly Datum[], loss: LossSpec) => {
        calls.push([batch, loss]);
        return { loss: 0.05 * 1.4, metrics: {} };
      },
    };
    const metrics = await learnObservations(model, [first], 0.05);
    expect(metrics['policy/observation_nll']).toBeCloseTo(1.4, 9);
    expect(calls.map(([, { id }]) => id)).toEqual(['nll']);
    expect(await learnObservations(model, [first], 0)).toEqual({});
    expect(await learnObservations(model, [silent], 0.05)).toEqual({});
    expect(calls).toHaveLength(1);
  });
});
