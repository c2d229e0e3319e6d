import type { Trajectory, Turn } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { toAtif } from './atif.js';

const turn = (index: number, start: number, end: number, think: string): Turn => ({
  index,
  observation: `state ${index}`,
  stateKey: '',
  render: '',
  facts: {},
  response: `<think>${think}</think>go`,
  think,
  answer: 'go',
  formatValid: true,
  parsedActions: ['go'],
  actions: [{ text: 'go', valid: true, effective: false, reward: 0.5, metrics: {} }],
  reward: 0.5,
  formatPenalty: 0,
  sampleStop: 'stop',
  sampled: { start, end },
  policyVersion: 4,
  timings: { sampleMs: 1, environmentMs: 1 },
});

/** Three turns; the third was sampled without what came before token 6. */
const trajectory: Trajectory = {
  id: 'train/2/0/1',
  environment: 'maze',
  split: 'train',
  step: 2,
  group: 0,
  index: 1,
  seeds: { state: 1, noise: 2, sampling: 3 },
  tokens: Int32Array.from([10, 11, 12, 13, 14, 15, 20, 21, 22]),
  logprobs: Float32Array.from([0, 0, -0.5, 0, -1, -2, 0, -0.25, -4]),
  entropies: new Float32Array(9),
  windows: [
    { start: 0, firstTurn: 0 },
    { start: 6, firstTurn: 2 },
  ],
  spans: [],
  turns: [turn(0, 2, 3, 'left'), turn(1, 4, 6, ''), turn(2, 7, 9, 'right')],
  score: {
    environment: 1.5,
    formatPenalty: 0,
    rewards: { 'environment-return': { value: 1.5, weight: 1 } },
    perTurn: [0.5, 0.5, 0.5],
    total: 1.5,
  },
  stopReason: 'success',
  success: true,
  labels: [{ name: 'no-op-loop', turn: 1 }],
  timings: { totalMs: 60 },
};
const context = { version: '1.2.3', model: 'seedling', run: 'maze-1' };

interface Atif {
  readonly steps: readonly {
    readonly step_id: number;
    readonly source: string;
    readonly message: string;
    readonly reasoning_content?: string;
    readonly metrics?: object;
  }[];
}

describe('toAtif', () => {
  it('has a step for each observation and each reply, with what was sampled', () => {
    const { steps, ...rest } = toAtif(trajectory, context) as Atif;
    expect(rest).toMatchObject({
      schema_version: 'ATIF-v1.8',
      session_id: 'maze-1',
      trajectory_id: 'train/2/0/1',
      agent: { name: 'espalier', version: '1.2.3', model_name: 'seedling' },
      // prompts of 2, 4 and 1 tokens, replies of 1, 2 and 2
      final_metrics: { total_prompt_tokens: 7, total_completion_tokens: 5, total_steps: 6 },
      extra: { success: true, stop_reason: 'success', labels: ['no-op-loop'] },
    });
    expect(steps.map(({ step_id, source }) => [step_id, source])).toEqual([
      [1, 'user'],
      [2, 'agent'],
      [3, 'user'],
      [4, 'agent'],
      [5, 'user'],
      [6, 'agent'],
    ]);
    expect(steps.map(({ message, reasoning_content: think }) => [message, think])).toEqual([
      ['state 0', undefined],
      ['go', 'left'],
      ['state 1', undefined],
      ['<think></think>go', undefined],
      ['state 2', undefined],
      ['go', 'right'],
    ]);
    expect(steps.flatMap(({ metrics }) => metrics ?? [])).toEqual([
      {
        prompt_tokens: 2,
        completion_tokens: 1,
        prompt_token_ids: [10, 11],
        completion_token_ids: [12],
        logprobs: [-0.5],
      },
      {
        prompt_tokens: 4,
        completion_tokens: 2,
        prompt_token_ids: [10, 11, 12, 13],
        completion_token_ids: [14, 15],
        logprobs: [-1, -2],
      },
      {
        prompt_tokens: 1,
        completion_tokens: 2,
        prompt_token_ids: [20],
        completion_token_ids: [21, 22],
        logprobs: [-0.25, -4],
      },
    ]);
  });

  it('says why an episode has no turns, as the format wants a step', () => {
    const failed: Trajectory = {
      ...trajectory,
      turns: [],
      success: false,
      stopReason: 'error',
      error: 'no answer',
    };
    expect(toAtif(failed, context)).toMatchObject({
      steps: [{ step_id: 1, source: 'system', message: 'no answer' }],
      final_metrics: { total_steps: 1, total_completion_tokens: 0 },
      extra: { error: 'no answer' },
    });
  });
});
