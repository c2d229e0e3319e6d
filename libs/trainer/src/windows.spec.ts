/**
 * @file An episode of two turns, each prompted alone: credit, weights and scores are those of one episode, and every model is
 * asked with the tokens that each turn was sampled from.
 */
import grpo from '@espalier/algorithm-grpo';
import ppo from '@espalier/algorithm-ppo';
import type { LossSpec, ScoreRequest, TokenScores, Trajectory } from '@espalier/contracts';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import { sampleTurn } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { buildMiniBatch, type TrainingExample, weighTokens } from './batch.js';
import { estimateCredit } from './credit.js';
import { addObservations } from './observation-loss.js';
import { addStepColumns } from './step-columns.js';
import { tinySpec } from './testing/tiny-run.js';

const rewards = [0.25, 1];

/** Prompts of two and three tokens, replies of two each; the second prompt shows a state as its second token. */
const episode = {
  id: 'train/1/0/0',
  tokens: Int32Array.of(10, 11, 1, 2, 20, 21, 22, 3, 4),
  logprobs: Float32Array.of(0, 0, -1, -2, 0, 0, 0, -3, -4),
  entropies: Float32Array.of(0, 0, 0.1, 0.2, 0, 0, 0, 0.3, 0.4),
  windows: [
    { start: 0, firstTurn: 0 },
    { start: 4, firstTurn: 1 },
  ],
  spans: [
    { kind: 'observation', start: 0, end: 2, turn: 0 },
    { kind: 'answer', start: 2, end: 4, turn: 0 },
    { kind: 'observation', start: 4, end: 5, turn: 1 },
    { kind: 'template', start: 5, end: 6, turn: 1 },
    { kind: 'observation', start: 6, end: 7, turn: 1 },
    { kind: 'answer', start: 7, end: 9, turn: 1 },
  ],
  turns: [
    sampleTurn(0, { sampled: { start: 2, end: 4 }, reward: 0.25 }),
    sampleTurn(1, { sampled: { start: 7, end: 9 }, reward: 1 }),
  ],
  score: { environment: 1.25, formatPenalty: 0, rewards: {}, perTurn: rewards, total: 1.25 },
} as unknown as Trajectory;

/** The same replies as one sequence: what the record was before there were windows. */
const { windows: _, ...plain } = episode;
const whole: Trajectory = { ...plain, id: 'train/1/0/1' };
const poor: Trajectory = {
  ...whole,
  score: { ...whole.score, perTurn: [0.25, 0], total: 0.25 },
};

const asked = (requests: readonly ScoreRequest[]) =>
  requests.map(({ tokens, positions }) => [[...tokens], [...positions]]);
const ofWindows = [
  [
    [10, 11, 1, 2],
    [2, 3],
  ],
  [
    [20, 21, 22, 3, 4],
    [3, 4],
  ],
];
/** A value for each token by its id. */
const valueOf = new Map([
  [1, 0.5],
  [2, 0.4],
  [3, 0.3],
  [4, 0.2],
]);

async function creditOf(
  group: readonly Trajectory[],
  algorithm: AlgorithmDefinition<never>,
  params: Record<string, unknown>,
) {
  const requests: ScoreRequest[] = [];
  const critic = {
    values: async (all: readonly ScoreRequest[]) => {
      requests.push(...all);
      return all.map(({ tokens, positions }) =>
        Float32Array.from(positions, (t) => valueOf.get(tokens[t] as number) ?? Number.NaN),
      );
    },
  };
  const credited = await estimateCredit([group], {
    spec: tinySpec(),
    algorithm: algorithm as unknown as AlgorithmDefinition<unknown>,
    algorithmParams: algorithm.params.parse(params),
    policy: { score: async () => [] },
    ...(algorithm.id === 'ppo' ? { critics: [critic as never] } : {}),
  });
  return { ...credited, requests };
}

const rounded = (values: Iterable<number>): number[] =>
  Array.from(values, (value) => Number(value.toFixed(6)));

describe('credit of an episode in windows', () => {
  it('reaches every turn through the critic, whose values are those of each window', async () => {
    const { credit, requests, examples } = await creditOf([episode], ppo as never, { gamma: 1, lambda: 0.5 });
    expect(asked(requests)).toEqual(ofWindows);
    // δ = -0.1, 0.25 + 0.3 - 0.4, -0.1, 1 - 0.2; A = δ + 0.5 A': 0.05, 0.3, 0.3, 0.8; returns A + V
    const [example] = examples;
    expect(rounded(example?.columns['returns'] ?? [])).toEqual([0.55, 0.7, 0.6, 1]);
    expect(rounded(example?.columns['oldValues'] ?? [])).toEqual([0.5, 0.4, 0.3, 0.2]);
    expect(credit.returns?.[0]).toHaveLength(9);
  });

  it('loses no reward: the first token’s return is the total, and all is as without windows', async () => {
    const params = { gamma: 1, lambda: 1 };
    const { examples, credit } = await creditOf([episode], ppo as never, params);
    expect(rounded(examples[0]?.columns['returns'] ?? [])).toEqual([1.25, 1.25, 1, 1]);
    const other = await creditOf([whole], ppo as never, params);
    expect(credit.advantages).toEqual(other.credit.advantages);
    expect(examples[0]?.columns).toEqual(other.examples[0]?.columns);
  });

  it('compares whole episodes in a group', async () => {
    const { examples } = await creditOf([episode, poor], grpo as never, { normalization: 'none' });
    expect(examples.map(({ columns }) => rounded(columns['advantages'] ?? []))).toEqual([
      [0.5, 0.5, 0.5, 0.5],
      [-0.5, -0.5, -0.5, -0.5],
    ]);
    expect([...(examples[0]?.columns['oldLogprobs'] ?? [])]).toEqual([-1, -2, -3, -4]);
  });
});

const loss: LossSpec = { id: 'test', params: {}, columns: ['advantages'], build: undefined };
const exampleOf = (trajectory: Trajectory): TrainingExample => ({
  trajectory,
  positions: Int32Array.of(2, 3, 7, 8),
  columns: { advantages: Float32Array.of(1, 2, 3, 4), oldLogprobs: Float32Array.of(-1, -2, -3, -4) },
});

describe('a mini-batch with windows', () => {
  it('has a datum for each window, with the weights of the whole trajectory', () => {
    const examples = [exampleOf(episode), exampleOf(whole)];
    const weights = weighTokens(examples, { lossAggregation: 'sequence-mean-token-mean' });
    const data = buildMiniBatch(examples, loss, { temperature: 1, weights });
    expect(asked(data.slice(0, 2))).toEqual(ofWindows);
    // two trajectories of four tokens, not three sequences
    expect(data.flatMap(({ weights }) => [...weights])).toEqual(Array.from({ length: 8 }, () => 1 / 8));
    expect(data.map(({ columns }) => [...(columns['advantages'] ?? [])])).toEqual([
      [1, 2],
      [3, 4],
      [1, 2, 3, 4],
    ]);
  });

  it('scores a step window by window, and gives the columns of the trajectory', async () => {
    const requests: ScoreRequest[] = [];
    const score = async (all: readonly ScoreRequest[]): Promise<TokenScores[]> => {
      requests.push(...all);
      return all.map(({ tokens, positions }) => ({
        logprobs: Float32Array.from(positions, (t) => -(tokens[t] as number)),
        entropies: new Float32Array(positions.length),
      }));
    };
    const model = { score, dispose: async () => undefined };
    const columns = (sequences: readonly TokenScores[]) =>
      sequences.map(({ logprobs }) => ({ now: logprobs }));
    const [added] = await addStepColumns([exampleOf(episode)], columns, { model, temperature: 1 });
    expect(asked(requests)).toEqual(ofWindows);
    expect([...(added?.columns['now'] ?? [])]).toEqual([-1, -2, -3, -4]);
  });

  it('learns observations in their window; the first token of each is predicted by nothing', () => {
    const own = { example: exampleOf(episode), weights: new Float32Array(4) };
    const { example, weights } = addObservations(own, 0.25);
    const data = buildMiniBatch([example], loss, { temperature: 1, weights: [weights] });
    expect(asked(data)).toEqual([
      [
        [10, 11, 1, 2],
        [1, 2, 3],
      ],
      [
        [20, 21, 22, 3, 4],
        [2, 3, 4],
      ],
    ]);
  });
});
