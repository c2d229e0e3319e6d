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
    expect(total(["I go down and I'll end up at row 2.", 'Down'])).toBe(1);
    expect(total(['The best move is up.', 'Up'])).toBe(1);
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
      'So moving down is dangerous.',
      'After the step the goal will be 1 down.',
    ])
      expect(total([think, 'Down']), think).toBe(0);
    expect(total(['I walk along the left side.', 'Left'])).toBe(0);
  });

  it.each([
    ['open fridge 1', 'The fridge 1 is closed. I open it.'],
    ['open fridge 1', 'I have to open the fridge before I can look inside.'],
    ['take mug 1 from cabinet 1', 'I see the mug 1. I will pick it up.'],
    ['take mug 1 from cabinet 1', 'I grab the mug 1 from the cabinet.'],
    ['move mug 1 to diningtable 1', 'I carry the mug 1, so I put it on the diningtable 1.'],
    ['put mug 1 in/on diningtable 1', 'I place the mug 1 on the diningtable.'],
    ['go to desk 1', 'I walk over to the desk 1.'],
    ['go to desk 1', 'I check the desk 1 next.'],
    ['heat potato 1 with microwave 1', 'I stand by the microwave 1 and hold the potato 1. I warm it up.'],
    ['use desklamp 1', 'I switch the desklamp 1 on.'],
  ])('reads "%s" in: %s', (made, think) => {
    expect(total([think, made])).toBe(1);
  });

  it.each([
    ['open fridge 1', 'The fridge 1 is open.'],
    ['open fridge 1', 'I stand at the open fridge 1.'],
    ['open fridge 1', 'Opening the fridge 1 takes a step.'],
    ['take mug 1 from cabinet 1', 'I take the mug 1 from the drawer 2.'],
    ['take mug 1 from cabinet 1', 'I take the mug 2.'],
    ['use desklamp 1', 'I turn to the desklamp 1.'],
    ['cool egg 2 with fridge 1', 'Later I cool the egg 2.'],
    ['constructor mug 1', 'I see a mug 1 and take it.'],
  ])('reads no "%s" in: %s', (made, think) => {
    expect(total([think, made])).toBe(0);
  });

  it('names no command by a kind that two commands share', () => {
    const [first, second] = ['take mug 1 from cabinet 1', 'take mug 2 from cabinet 1'];
    expect(score(['I take the mug.', first], ['I take the mug 2.', second]).perTurn).toEqual([0, 0.5]);
  });

  it('reads no direction in "heat it up"', () => {
    const { metrics } = score(['I see an egg 1 and heat it up.', 'go to fridge 1']);
    expect(metrics['planned']).toBe(0);
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
