import type { RewardResult, Turn, UnscoredTrajectory } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectoryOf, testReward } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import prediction from './index.js';

testReward(prediction);
testReward(prediction, { params: { claims: 2, miss: 0.5 } });

const lake = { goal: [3, 2], holes: [[1, 2]], size: [4, 4] };
const walk = [
  [1, 1],
  [2, 1],
  [3, 1],
].map((player) => ({ ...lake, player }));
const won: Partial<UnscoredTrajectory> = { success: true, stopReason: 'success' };

const score = (thoughts: readonly string[], outcome: Partial<UnscoredTrajectory> = won) => {
  const replies = walk.map((_, index) => sampleReply(thoughts[index] ?? 'ok', 'Down'));
  const given = (index: number): Partial<Turn> => ({
    stateKey: `${index}`,
    facts: walk[index] as Turn['facts'],
  });
  return prediction.score(
    { ...sampleTrajectoryOf(replies, given), ...outcome },
    prediction.params.parse({}),
  ) as Required<RewardResult>;
};
const first = (think: string): number => (score([think]).perTurn[0] ?? 0) * walk.length;
const last = (think: string, outcome = won): number =>
  (score(['', '', think], outcome).perTurn[2] ?? 0) * walk.length;

describe('prediction', () => {
  it('pays for what is not so yet and comes true', () => {
    expect(first('I will be at (2, 1).')).toBeCloseTo(15 / 16);
    expect(first('<prediction>The player is at (2, 1).</prediction>')).toBeCloseTo(15 / 16);
    expect(first('Then the goal will be 1 down 1 right.')).toBeCloseTo(15 / 16);
  });

  it.each(['Will be at (2, 1).', '<prediction>player (2, 1)</prediction>', "Down, and I'll be at (2, 1)."])(
    'reads %s as a position of the player',
    (think) => {
      expect(first(think)).toBeCloseTo(15 / 16);
    },
  );

  it('takes "won\'t" for the future', () => {
    expect(score(["I won't be at (1, 1)."]).metrics['predictions']).toBeGreaterThan(0);
  });

  it('takes what did not come true, down to 0', () => {
    expect(first('I will be at (2, 1). The goal will be 3 down.')).toBe(0);
    expect(first('I will be at (0, 1).')).toBe(0);
  });

  it('gives the tokens of each prediction what it earned', () => {
    const { evidence, perTurn } = score(['I will be at (2, 1).']);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]).toMatchObject({ turn: 0, value: perTurn[0], note: 'came true: player at 2, 1' });
  });

  it('pays for the end of the episode where it ends', () => {
    expect(last('I will reach the goal.')).toBe(1);
    expect(last('I will reach the goal.', { success: false, stopReason: 'failure' })).toBe(0);
    expect(first('I will reach the goal.')).toBe(0);
  });

  it('reads only the part <prediction> where there is one', () => {
    expect(first('<observation>I am at (2, 1).</observation><prediction></prediction>')).toBe(0);
    expect(first('<reasoning>I will be at (2, 1).</reasoning><prediction>more ice</prediction>')).toBe(0);
  });
});

describe('a policy that games it', () => {
  it('earns nothing for failing as it said', () => {
    expect(last('I will fall into the hole.', { success: false, stopReason: 'failure' })).toBe(0);
  });

  it('earns nothing at the end for what it said in every turn', () => {
    const constant = 'I will reach the goal.';
    expect(score([constant, constant, constant]).perTurn).toEqual([0, 0, 0]);
    expect(score(['', '', constant]).perTurn[2]).toBeCloseTo(1 / 3);
  });

  it('earns nothing where a cell that it always names comes', () => {
    const constant = 'I will be at (3, 1).';
    expect(score([constant, constant, constant]).perTurn).toEqual([0, 0, 0]);
    expect((score(['', constant]).perTurn[1] ?? 0) * walk.length).toBeCloseTo(15 / 16);
  });

  it.each([
    ['nothing', ''],
    ['an empty prediction', '<prediction></prediction>'],
    ['a placeholder', '<prediction>[your prediction]</prediction>'],
    ['a constant', '<prediction>The position will be a position.</prediction>'],
    [
      'what stays as it is',
      '<prediction>The goal will be at (3, 2). The hole will be at (1, 2).</prediction>',
    ],
    ['what already held', '<prediction>The goal is below.</prediction>'],
    [
      'every cell',
      `<prediction>${Array.from({ length: 16 }, (_, i) => `I am at (${i >> 2}, ${i & 3}).`).join(' ')}</prediction>`,
    ],
    ['a hypothesis', 'If I go down, I will be at (2, 1).'],
    ['an echo of the prompt', 'Always reply <think><prediction>...</prediction></think><answer>...</answer>'],
    ['a long text', `<prediction>${'it will be cold '.repeat(60)}</prediction>`],
  ])('gets the floor for %s', (_, think) => {
    expect(first(think)).toBe(0);
  });
});
