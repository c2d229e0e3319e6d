import type { RewardResult, Turn } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectoryOf, testReward } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import planConsistency from './index.js';

testReward(planConsistency);

type Move = readonly [think: string, ...made: string[]];
const score = (...moves: readonly Move[]) =>
  planConsistency.score(
    sampleTrajectoryOf(
      moves.map(([think, ...made]) => sampleReply(think, made.join(' || '))),
      (index): Partial<Turn> => {
        const [think = '', ...made] = moves[index] ?? [''];
        const actions = made.map((text) => ({ text, valid: true, effective: true, reward: 0, metrics: {} }));
        return { think, actions, parsedActions: made, stateKey: `${index}` };
      },
    ),
    {},
  ) as Required<RewardResult>;
const total = (...moves: readonly Move[]): number =>
  score(...moves).perTurn.reduce((sum, value) => sum + value, 0);

describe('plan-consistency', () => {
  it('pays for a plan that is what was done', () => {
    expect(total(['The goal is below, so I go down.', 'Down'])).toBe(1);
    expect(total(['First I move down twice, then right.', 'Down', 'Down', 'Right'])).toBe(1);
    expect(total(['So I will push the box left', 'Left'])).toBe(1);
    expect(total(['I take click[buy now] now.', 'click[buy now]'])).toBe(1);
  });

  it('pays nothing for another plan, and a part for a part', () => {
    expect(total(['I go up.', 'Down'])).toBe(0);
    expect(total(['I go down.', 'Down', 'Right'])).toBe(0.5);
  });

  it('reads no plan in claims, denied moves and hypotheses', () => {
    for (const think of [
      'The goal is down.',
      'I do not go down.',
      'If I go down, I fall.',
      'I avoid down',
      'She says I go down.',
    ])
      expect(total([think, 'Down']), think).toBe(0);
  });

  it('gives kept moves what they earned and the others what they cost', () => {
    const { evidence, perTurn, metrics } = score(['I go down, down, right, then left.', 'Down', 'Right']);
    // of three moves two were made: 2 · 2/3 - 1 = 1/3
    expect(perTurn[0]).toBeCloseTo(1 / 3);
    expect(evidence.map(({ value }) => Math.sign(value))).toEqual([1, 1, 1, -1]);
    expect(evidence.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(1 / 3);
    expect(metrics).toMatchObject({ kept: 2 / 3, covered: 1, planned: 4 });
  });
});

describe('a policy that games it', () => {
  it.each([
    ['nothing', ''],
    ['a constant', 'ok'],
    ['a list of all moves', 'Up, Down, Left, Right'],
    ['one kept move among many', 'I go up then left then down.'],
    ['an echo of the prompt', 'Actions: Left, Down, Right, Up. Give one action per turn.'],
  ])('gets the floor for %s', (_, think) => {
    expect(total([think, 'Down'])).toBe(0);
  });

  it('gets the floor for the same thoughts in different states', () => {
    expect(total(['I go down.', 'Down'], ['I go down.', 'Down'], ['I go down!', 'Down'])).toBe(0);
  });

  it('earns less by naming a plan many times', () => {
    expect(total(['I go down. '.repeat(20), 'Down'])).toBeCloseTo(0.1);
  });
});
