import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import rloo from '@espalier/algorithm-rloo';
import type { Datum, LossSpec, TrainableModel, Trajectory } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights, parseModelConfig, saveModelFolder } from '@espalier/model';
import { nllLoss } from '@espalier/objective';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildMiniBatch, type TrainingExample, weighTokens } from './batch.js';
import { passLosses } from './loss-passes.js';
import { addObservations, countObservations, withObservationPositions } from './observation-loss.js';
import { tinySpec } from './testing/tiny-run.js';

/** Tokens 0..9: an observation from the first token on, a template, a reply, a second observation. */
const first = {
  tokens: Int32Array.from([9, 1, 2, 3, 4, 5, 6, 7, 8, 10]),
  spans: [
    { kind: 'observation', start: 0, end: 3, turn: 0 },
    { kind: 'template', start: 3, end: 5, turn: 0 },
    { kind: 'answer', start: 5, end: 7, turn: 0 },
    { kind: 'observation', start: 7, end: 9, turn: 1 },
    { kind: 'control', start: 9, end: 10, turn: 1 },
  ],
} as unknown as Trajectory;
/** Two windows, the second with observations alone. */
const cut = {
  tokens: Int32Array.from([1, 2, 3, 4, 5, 6]),
  spans: [
    { kind: 'observation', start: 1, end: 2, turn: 0 },
    { kind: 'answer', start: 2, end: 3, turn: 0 },
    { kind: 'observation', start: 3, end: 6, turn: 1 },
  ],
  windows: [
    { start: 0, turn: 0 },
    { start: 3, turn: 1 },
  ],
} as unknown as Trajectory;

function exampleOf(trajectory: Trajectory, positions: number[], advantage: number): TrainingExample {
  return {
    trajectory,
    positions: Int32Array.from(positions),
    columns: {
      oldLogprobs: new Float32Array(positions.length).fill(-5),
      advantages: new Float32Array(positions.length).fill(advantage),
    },
  };
}
const examples = [exampleOf(first, [5, 6, 9], 1.5), exampleOf(cut, [2], -1)];

describe('observation tokens beside loss tokens', () => {
  it('are all but the first of a window', () => {
    expect(countObservations(examples)).toBe(4 + 3);
    expect(examples.map((one) => [...withObservationPositions(one).positions])).toEqual([
      [1, 2, 5, 6, 7, 8, 9],
      [1, 2, 4, 5],
    ]);
  });

  it('have one weight, no credit, and a mark', () => {
    const { example, weights } = addObservations(
      { example: examples[0]!, weights: Float32Array.of(0.25, 0.5, 0.75) },
      2,
    );
    expect([...weights]).toEqual([2, 2, 0.25, 0.5, 2, 2, 0.75]);
    expect([...example.columns['advantages']!]).toEqual([0, 0, 1.5, 1.5, 0, 0, 1.5]);
    expect([...example.columns['observed']!]).toEqual([1, 1, 0, 0, 1, 1, 0]);
  });
});

const { update } = tinySpec({ update: { lossAggregation: 'token-mean' } });
const options = { area: 'policy', update, temperature: 1, factor: undefined };
const losses = { loss: rloo.policyLoss(rloo.params.parse({})) };

describe('one pass for both losses', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-observed-'));
    const config = parseModelConfig({
      model_type: 'llama',
      vocab_size: 16,
      hidden_size: 32,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      intermediate_size: 48,
      max_position_embeddings: 64,
    });
    saveModelFolder(folder, { config, weights: initializeWeights(config, 3), dtype: 'float32' });
  });
  afterAll(() => removeFolder(folder));

  /** What a model has learned after one optimizer step. */
  async function learned(passes: (model: TrainableModel) => Promise<void>) {
    const engine = await createEmbeddedEngine({ folder, threads: 1 });
    const { policy } = engine;
    try {
      await passes(policy);
      const { gradientNorm } = await policy.optimizerStep({
        learningRate: 0.01,
        beta1: 0.9,
        beta2: 0.99,
        epsilon: 1e-8,
        weightDecay: 0,
        maxGradientNorm: 1,
      });
      const [scores] = await policy.score([{ tokens: first.tokens, positions: Int32Array.of(1, 5, 9) }]);
      return [gradientNorm, ...(scores?.logprobs ?? [])];
    } finally {
      await engine.dispose();
    }
  }

  it('has the gradient of two, and tells both apart', async () => {
    const found: { loss: number; nll: number; own: number[][] }[] = [];
    const one = await learned(async (model) => {
      const passed = await passLosses(model, examples, losses, { ...options, observed: 0.05 });
      found.push({
        loss: passed.loss,
        nll: passed.means['policy/observation_nll'] ?? Number.NaN,
        own: passed.passes[0]?.result.scores?.map(({ logprobs }) => [...logprobs]) ?? [],
      });
    });
    const two = await learned(async (model) => {
      const passed = await passLosses(model, examples, losses, options);
      const shown: Datum[] = [
        { tokens: first.tokens, positions: Int32Array.of(1, 2, 7, 8) },
        { tokens: cut.tokens.subarray(0, 3), positions: Int32Array.of(1) },
        { tokens: cut.tokens.subarray(3), positions: Int32Array.of(1, 2) },
      ].map((datum) => ({
        ...datum,
        weights: new Float32Array(datum.positions.length).fill(0.05 / 7),
        columns: {},
      }));
      const { loss } = await model.forwardBackward(shown, nllLoss);
      found.push({
        loss: passed.loss,
        nll: loss / 0.05,
        own: passed.passes[0]?.result.scores?.map(({ logprobs }) => [...logprobs]) ?? [],
      });
    });
    one.forEach((value, i) => expect(value).toBeCloseTo(two[i] ?? Number.NaN, 5));
    expect(found[0]?.loss).toBeCloseTo(found[1]?.loss ?? Number.NaN, 6);
    expect(found[0]?.nll).toBeCloseTo(found[1]?.nll ?? Number.NaN, 5);
    // the reply of the first, and of the second the window with one
    expect(found[0]?.own.map(({ length }) => length)).toEqual([3, 1]);
    found[0]?.own.flat().forEach((value, i) => expect(value).toBeCloseTo(found[1]?.own.flat()[i] ?? 0, 6));
  });

  it('is the plain loss where nothing is shown, or the coefficient is 0', async () => {
    const asked: { ids: string[]; columns: string[][] } = { ids: [], columns: [] };
    const model = {
      forwardBackward: async (batch: readonly Datum[], loss: LossSpec) => {
        asked.ids.push(loss.id);
        asked.columns.push(Object.keys(batch[0]?.columns ?? {}));
        return { loss: 1, metrics: {} };
      },
    } as unknown as TrainableModel;
    const silent = exampleOf({ ...first, spans: [] }, [5], 1);
    const passed = [
      await passLosses(model, examples, losses, options),
      await passLosses(model, [silent], losses, { ...options, observed: 0.05 }),
    ];
    expect(asked.ids).toEqual([losses.loss.id, losses.loss.id]);
    expect(asked.columns.flat()).not.toContain('observed');
    for (const { means } of passed) expect(means).not.toHaveProperty('policy/observation_nll');
    // the other weights of the mini-batch are as without observations
    const weights = weighTokens(examples, update);
    expect(weights.flatMap((own) => [...own])).toEqual(new Array(4).fill(0.25));
    expect(buildMiniBatch(examples, losses.loss, { temperature: 1, weights })).toHaveLength(2);
  });
});
