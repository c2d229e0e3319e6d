import { definedMetrics, type Trajectory, type Turn } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { wilsonInterval } from './estimates/wilson.js';
import type { Collection } from './group-rollout.js';
import { rolloutMetrics, standardDeviation } from './statistics.js';

const action = { text: 'Right', valid: true, effective: true, reward: 1, metrics: { pushed: 1 } };
const turn: Turn = {
  index: 0,
  observation: 's',
  stateKey: 's',
  render: 's',
  facts: {},
  response: '<think>a</think><answer>Right</answer>',
  think: 'a',
  answer: 'Right',
  formatValid: true,
  parsedActions: ['Right'],
  actions: [action],
  reward: 1,
  formatPenalty: 0,
  sampleStop: 'stop',
  sampled: { start: 2, end: 6 },
  policyVersion: 0,
  timings: { sampleMs: 1, environmentMs: 1 },
};

function trajectory(index: number, total: number, turns: readonly Turn[], success: boolean): Trajectory {
  return {
    id: `train/1/0/${index}`,
    environment: 'corridor',
    split: 'train',
    step: 1,
    group: 0,
    index,
    seeds: { state: 1, noise: index, sampling: index },
    tokens: new Int32Array(6),
    logprobs: new Float32Array(6),
    entropies: Float32Array.of(9, 9, 1, 1, 2, 2),
    spans: [
      { kind: 'template', start: 0, end: 2, turn: 0 },
      { kind: 'think', start: 2, end: 5, turn: 0 },
      { kind: 'answer', start: 5, end: 6, turn: 0 },
    ],
    turns,
    score: { environment: total, formatPenalty: 0, rewards: {}, perTurn: [total], total },
    stopReason: success ? 'success' : 'turns',
    success,
    labels: success ? [] : [{ name: 'budget-exhausted', turn: turns.length - 1 }],
    timings: { totalMs: 1 },
  };
}

const idle: Turn = { ...turn, formatValid: false, actions: [], reward: 0, sampleStop: 'length', think: '' };
const collection: Collection = {
  groups: [
    {
      group: 0,
      environment: 'corridor',
      stateSeed: 1,
      trajectories: [trajectory(0, 1, [turn], true), trajectory(1, 0, [idle], false)],
    },
  ],
  failed: [trajectory(2, 0, [], false)],
  rollouts: 3,
  rewardMetrics: { 'reward/format': -0.5 },
};

describe('rolloutMetrics', () => {
  it('equals hand-computed numbers', () => {
    const metrics = rolloutMetrics(collection);
    expect(metrics).toMatchObject({
      'rollout/success_rate': 0.5,
      'rollout/group_success_rate': 1,
      'rollout/reward_mean': 0.5,
      'rollout/reasoning_length': 3,
      'rollout/response_length': 4,
      'rollout/cut_response_share': 0.5,
      'rollout/turns': 1,
      'rollout/actions': 0.5,
      'rollout/valid_action_share': 1,
      'rollout/idle_turn_share': 0.5,
      'rollout/format_valid_share': 0.5,
      'rollout/distinct_thought_share': 1,
      'rollout/entropy': 1.5,
      'rollout/tokens': 12,
      'rollout/environment_steps': 1,
      'rollout/stop_success': 0.5,
      'rollout/label_budget_exhausted': 0.5,
      'rollout/label_cycle': 0,
      'rollout/stop_turns': 0.5,
      'rollout/stop_error': 0,
      'reward/format': -0.5,
      'environment/pushed': 1,
    });
    expect(metrics['rollout/reward_std']).toBeCloseTo(Math.SQRT1_2, 12);
    expect(metrics['rollout/failed_share']).toBeCloseTo(1 / 3, 12);
  });

  it('bounds success by Wilson over trajectories, and reward by the standard error over groups', () => {
    const groupOf = (group: number, totals: readonly number[]) => ({
      group,
      environment: 'corridor',
      stateSeed: group,
      trajectories: totals.map((total, index) => trajectory(index, total, [turn], total > 0)),
    });
    const of = (...groups: readonly (readonly number[])[]) =>
      rolloutMetrics({ ...collection, groups: groups.map((totals, group) => groupOf(group, totals)) });
    // means 1, 2 and 3 of groups of two: s = 1, so 2 ± 1.96 / √3
    const even = of([0, 2], [2, 2], [1, 5]);
    expect(even['rollout/reward_low']).toBeCloseTo(2 - 1.96 / Math.sqrt(3), 12);
    expect(even['rollout/reward_high']).toBeCloseTo(2 + 1.96 / Math.sqrt(3), 12);
    // 5 of 6: (5/6 + z²/12 ± z √(5/216 + z²/144)) / (1 + z²/6) with z = 1.96
    expect(even['rollout/success_low']).toBeCloseTo(0.4365, 4);
    expect(even['rollout/success_high']).toBeCloseTo(0.9699, 4);
    // sizes 1 and 3, mean 1.75: residuals 4 − 1.75 = 2.25 and 3 − 3 · 1.75 = −2.25; √(2 · 2 · 2.25²) / 4
    const uneven = of([4], [1, 1, 1]);
    expect(uneven['rollout/reward_high']).toBeCloseTo(1.75 + (1.96 * 4.5) / 4, 12);
    expect(uneven['rollout/reward_low']).toBeCloseTo(1.75 - (1.96 * 4.5) / 4, 12);
    // 1 and 1/4 of groups of 1 and 4, where 2 of 5 pass; worth 2² / (1 + 1/4) = 3.2 trajectories, 2 of which pass
    const adapted = of([1], [1, 0, 0, 0]);
    expect(adapted['rollout/success_rate']).toBe(0.625);
    expect(adapted['rollout/success_low']).toBeCloseTo(wilsonInterval(2, 3.2).low, 12);
    expect(adapted['rollout/success_high']).toBeCloseTo(wilsonInterval(2, 3.2).high, 12);
    // equal means leave nothing open; one group says nothing of others
    expect(of([0, 2], [2, 0])['rollout/reward_high']).toBe(1);
    const one = of([0, 2]);
    expect(['rollout/reward_low', 'rollout/reward_high'].map((name) => name in one)).toEqual([false, false]);
    expect('rollout/success_low' in one).toBe(true);
  });

  it('measures prompts in their windows', () => {
    const sampledAt = (index: number, start: number): Turn => ({
      ...turn,
      index,
      sampled: { start, end: start + 2 },
    });
    const turns = [sampledAt(0, 4), sampledAt(1, 9), sampledAt(2, 17)];
    const whole = trajectory(0, 1, turns, true);
    // the third turn is prompted with itself and the one before, from token 11 on
    const windows = [
      { start: 0, firstTurn: 0 },
      { start: 11, firstTurn: 1 },
    ];
    const metricsOf = (one: Trajectory) =>
      rolloutMetrics({
        ...collection,
        groups: [{ group: 0, environment: 'corridor', stateSeed: 1, trajectories: [one] }],
      });
    const all = metricsOf(whole);
    expect(all['rollout/prompt_length']).toBeCloseTo((4 + 9 + 17) / 3, 12);
    expect([all['rollout/prompt_turns'], all['rollout/truncated_turn_share']]).toEqual([2, 0]);
    const cut = metricsOf({ ...whole, windows });
    expect(cut['rollout/prompt_length']).toBeCloseTo((4 + 9 + 6) / 3, 12);
    expect(cut['rollout/prompt_turns']).toBeCloseTo((1 + 2 + 2) / 3, 12);
    expect(cut['rollout/truncated_turn_share']).toBeCloseTo(1 / 3, 12);
  });

  it('declares every fixed name with unit and formula', () => {
    const names = new Set(definedMetrics().map((metric) => metric.name));
    for (const area of ['rollout', 'validation'] as const) {
      const fixed = Object.keys(rolloutMetrics(collection, area)).filter((name) =>
        /^(rollout|validation)\/[^/]+$/.test(name),
      );
      expect(fixed.filter((name) => !names.has(name))).toEqual([]);
      expect(fixed.length).toBeGreaterThan(20);
    }
  });

  it('leaves metrics that compare trajectories of a group out of validation', () => {
    const names = [
      ...Object.keys(rolloutMetrics(collection, 'validation')),
      ...definedMetrics().map((metric) => metric.name),
    ];
    expect(names).toContain('validation/reward_mean');
    expect(names).toContain('rollout/reward_std');
    expect(names).not.toContain('validation/reward_std');
    expect(names).not.toContain('validation/group_success_rate');
    expect(Object.keys(rolloutMetrics(collection, 'validation'))).not.toContain('validation/success_low');
  });

  it('stays finite without trajectories', () => {
    const empty = rolloutMetrics({ groups: [], failed: [], rollouts: 0, rewardMetrics: {} });
    expect(Object.values(empty).every(Number.isFinite)).toBe(true);
  });
});

describe('standardDeviation', () => {
  it('divides by n - 1', () => {
    expect(standardDeviation([1, 2, 3, 4])).toBeCloseTo(1.2909944487, 9);
    expect(standardDeviation([5])).toBe(0);
  });
});
