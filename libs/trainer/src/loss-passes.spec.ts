/** @file Losses of tags as terms of one sum: values by hand, and the gradient that they add up to by finite differences. */
import cispo from '@espalier/algorithm-cispo';
import rloo from '@espalier/algorithm-rloo';
import type { Datum, LossSpec, TrainableModel, Trajectory } from '@espalier/contracts';
import { evaluateLoss } from '@espalier/objective';
import { sampleReply, sampleTrajectoryOf } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import type { TrainingExample } from './batch.js';
import { passLosses } from './loss-passes.js';
import { tinySpec } from './testing/tiny-run.js';

const losses = {
  loss: rloo.policyLoss(rloo.params.parse({})),
  ownLosses: new Map([['far', cispo.policyLoss(cispo.params.parse({}))]]),
};

function example(tag: string, advantages: number[]): TrainingExample {
  const { textEnds: _, ...plain } = sampleTrajectoryOf([sampleReply('go down', 'Down')]);
  const score = { environment: 0, formatPenalty: 0, rewards: {}, perTurn: [0], total: 0 };
  const trajectory: Trajectory = { ...plain, score, environmentTag: tag };
  const start = trajectory.turns[0]?.sampled.start ?? 1;
  return {
    trajectory,
    positions: Int32Array.from(advantages, (_, n) => start + n),
    columns: {
      oldLogprobs: new Float32Array(advantages.length).fill(-1),
      advantages: Float32Array.from(advantages),
    },
  };
}

/** A model whose weights are the log-probabilities of its tokens, one for each in order of call. */
function createModel(logprobs: readonly number[], names: readonly string[] = []) {
  const gradient: number[] = [];
  let at = 0;
  const model = {
    forwardBackward: async (batch: readonly Datum[], loss: LossSpec) => {
      const weights = batch.flatMap((datum) => [...datum.weights]);
      const own = logprobs.slice(at, (at += weights.length));
      const columns = Object.fromEntries(
        loss.columns.map((name) => [name, batch.flatMap((datum) => [...(datum.columns[name] ?? [])])]),
      );
      const { perToken, gradients } = evaluateLoss(loss as never, {
        logprobs: own,
        entropies: own.map(() => 1),
        columns,
      });
      weights.forEach((weight, n) => gradient.push(weight * (gradients['logprobs']?.[n] ?? 0)));
      const value = perToken.reduce((sum, one, n) => sum + (weights[n] ?? 0) * one, 0);
      const weight = weights.reduce((sum, one) => sum + one, 0);
      const metrics = Object.fromEntries(names.map((name) => [name, weight * batch.length]));
      return { loss: value, metrics, reductions: [] };
    },
    zeroGradients: async () => void gradient.splice(0),
  } as unknown as TrainableModel;
  return { model, gradient };
}

const examples = [example('near', [2]), example('far', [1, -1, 4]), example('near', [3])];
const { update } = tinySpec({ update: { lossAggregation: 'token-mean' } });
const options = { area: 'policy', update, temperature: 1, factor: undefined };

describe('losses of tags', () => {
  it('are weighed over the whole mini-batch, by hand', async () => {
    const { model } = createModel([-1, -1, -1, -1, -1], ['seen']);
    const passed = await passLosses(model, examples, losses, options);
    // rloo at ratio 1: −2 and −3; cispo: −A · logprob = 1, −1, 4; five tokens
    expect(passed.loss).toBeCloseTo((-5 + 4) / 5, 6);
    expect(passed.weight).toBeCloseTo(1, 6);
    expect(passed.passes.map(({ examples: own }) => own.length)).toEqual([2, 1]);
    // two sequences for 2/5 of the weight, one for 3/5
    expect(passed.means['policy/seen']).toBeCloseTo(2 * 0.4 + 1 * 0.6, 6);
    expect(passed.means['tag/far/policy/seen']).toBeCloseTo(1, 6);
    expect(passed.means['tag/near/policy/seen']).toBeUndefined();
    expect(passed.shared).toEqual({ 'policy/seen': expect.closeTo(2, 6) as number });
    const own = await passLosses(
      createModel([-1, -1, -1], ['seen']).model,
      examples.slice(1, 2),
      losses,
      options,
    );
    expect(own.shared).toEqual({ 'policy/seen': NaN });
  });

  it('add up to the gradient of their sum, by finite differences', async () => {
    const at = [-0.9, -1.05, -1.1, -0.95, -0.8];
    const { model, gradient } = createModel(at);
    await passLosses(model, examples, losses, options);
    // cispo weighs by ratios that are held, so its sum is compared where they are
    const held = at.slice(2).map((logprob) => Math.exp(logprob + 1));
    const sum = (logprobs: readonly number[]): number =>
      ([2, 3].reduce((total, a, n) => total - a * Math.exp((logprobs[n] ?? 0) + 1), 0) +
        [1, -1, 4].reduce((total, a, n) => total - (held[n] ?? 0) * a * (logprobs[n + 2] ?? 0), 0)) /
      5;
    at.forEach((_, n) => {
      const moved = (by: number) => at.map((value, i) => (i === n ? value + by : value));
      expect(gradient[n]).toBeCloseTo((sum(moved(1e-5)) - sum(moved(-1e-5))) / 2e-5, 6);
    });
  });

  it('are all taken back where one of them is no number', async () => {
    const { model, gradient } = createModel([-1, -1, Number.NaN, -1, -1]);
    await expect(passLosses(model, examples, losses, options)).rejects.toThrow('is NaN');
    expect(gradient).toEqual([]);
  });
});
