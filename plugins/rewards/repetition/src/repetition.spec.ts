import type { RewardResult } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectory, sampleTrajectoryOf, testReward } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import repetition from './index.js';

testReward(repetition);
testReward(repetition, { params: { words: 2, across: 'episode' } });

const score = (replies: readonly string[], given: Record<string, unknown> = {}) =>
  repetition.score(sampleTrajectoryOf(replies), repetition.params.parse(given)) as Required<RewardResult>;
const total = (replies: readonly string[], given?: Record<string, unknown>): number =>
  score(replies, given).perTurn.reduce((sum, value) => sum + value, 0);
const reply = (think: string): string => sampleReply(think, 'Down');

describe('repetition', () => {
  it('takes the share of words that repeat four words in a row and are most of a sentence', () => {
    // 9 words; the second sentence has 5, of which 4 are the first
    expect(total([reply('One box is below. One box is below me.')])).toBeCloseTo(-4 / 9);
    expect(total([reply('One box is below. One box is above me.')])).toBe(0);
  });

  it('lets sentences differ that begin or end alike, with a point in a number or without', () => {
    expect(total([reply('One box is below me and left. One box is below the goal and right.')])).toBe(0);
    expect(
      total([reply('It costs 12.50 here and there. That costs 12.50 here and there, too, I see.')]),
    ).toBe(0);
  });

  it('takes rows twice as long whatever else the sentence says', () => {
    const row = 'one box is below me and one is left';
    expect(total([reply(`${row} so ${row} of all that I can see from here`)])).toBeCloseTo(-9 / 27);
  });

  it('takes it from the very tokens that repeat', () => {
    const think = 'one box is below! one box is below me';
    const trajectory = sampleTrajectoryOf([reply(think)]);
    const { evidence } = score([reply(think)]);
    expect(evidence).toHaveLength(1);
    const [{ start, end, value } = { start: 0, end: 0, value: 0 }] = evidence;
    const { response } = trajectory.turns[0] ?? { response: '' };
    const own = response.slice(trajectory.textEnds[start - 1], trajectory.textEnds[end - 1]);
    expect(own.trim()).toBe('one box is below');
    expect(value).toBeCloseTo(-4 / 9);
  });

  it('is the mean over turns, and compares turns only when asked to', () => {
    const same = [reply('the goal is below me'), reply('the goal is below me')];
    expect(total(same)).toBe(0);
    expect(total(same, { across: 'episode' })).toBeCloseTo(-0.5);
  });

  it('reads scripts without spaces character by character', () => {
    expect(total([reply('向右走一步。'.repeat(2))])).toBeCloseTo(-0.5);
  });
});

describe('a policy that games it', () => {
  const honest = total([reply('The goal is two cells below, so down is right.')]);
  it.each([
    ['nothing', '<think>'],
    ['no think block', '<answer>Down</answer>'],
    ['signs alone', sampleReply('... !? ||', 'Down')],
    ['a placeholder', sampleReply('[Your thoughts]', 'Down')],
  ])('gets the floor for %s', (_, text) => {
    expect(total([text])).toBe(-1);
  });

  it.each([
    ['a word without end', 'ok '.repeat(200)],
    ['a letter without end', 'a'.repeat(2000)],
    ['the same sentence many times', 'The goal is two cells below. '.repeat(30)],
    ['a long list that begins again', `${'up down left right '.repeat(40)}`],
  ])('loses nearly everything for %s', (_, think) => {
    expect(total([reply(think)])).toBeLessThan(-0.9);
  });

  it.each([
    ['a constant', 'ok'],
    ['an echo of the demand', 'Always reply think answer and nothing else.'],
    ['a long text', Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ')],
  ])('gains nothing over an honest reply by %s', (_, think) => {
    expect(total([reply(think)])).toBeLessThanOrEqual(honest);
  });
});

it('has nothing to say about an episode without turns', () => {
  expect(repetition.score(sampleTrajectory([]), repetition.params.parse({}))).toMatchObject({ perTurn: [] });
});
