import type { RewardResult } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectory, sampleTrajectoryOf, testReward } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import length from './index.js';
import { judgeLength } from './judge-length.js';

testReward(length);
testReward(length, { params: { limit: 4, buffer: 4 } });
testReward(length, { params: { target: 3 } });
testReward(length, { params: { of: 'reply', limit: 4, buffer: 4 } });
testReward(length, { params: { of: 'reply', target: 3 } });

const score = (replies: readonly string[], given: Record<string, unknown> = {}) =>
  length.score(sampleTrajectoryOf(replies), length.params.parse(given)) as Required<RewardResult>;
const total = (replies: readonly string[], given?: Record<string, unknown>): number =>
  score(replies, given).perTurn.reduce((sum, value) => sum + value, 0);

/** A reply whose think block is `count` tokens, its closing tag included. */
const reply = (count: number): string =>
  sampleReply(Array.from({ length: count - 1 }, (_, i) => `w${i}`).join(' '), 'Down');

describe('a limit', () => {
  it('takes nothing up to limit − buffer and 1 at the limit, evenly between them', () => {
    const rule = { limit: 10, buffer: 4 };
    expect([5, 6, 7, 8, 10, 50].map((count) => judgeLength(count, rule).loss)).toEqual([
      0, 0, 0.25, 0.5, 1, 1,
    ]);
  });

  it('takes it from the tokens past the free ones', () => {
    const { perTurn, evidence } = score([reply(8)], { limit: 10, buffer: 4 });
    expect(perTurn).toEqual([-0.5]);
    const trajectory = sampleTrajectoryOf([reply(8)]);
    const span = trajectory.spans.find(({ kind }) => kind === 'think');
    expect(evidence).toEqual([
      { turn: 0, start: (span?.end ?? 0) - 2, end: span?.end, value: -0.5, note: '2 tokens too many' },
    ]);
  });

  it('counts a block that was opened by choice and never closed', () => {
    const open = sampleTrajectoryOf([`<think>${'word '.repeat(50).trim()}`]);
    const spans = open.spans.map((span) =>
      span.kind === 'think' ? { ...span, kind: 'answer' as const } : span,
    );
    const { perTurn, metrics } = length.score(
      { ...open, spans },
      length.params.parse({ limit: 10 }),
    ) as Required<RewardResult>;
    expect([perTurn, metrics['over']]).toEqual([[-1], 1]);
  });

  it('is the mean over turns', () => {
    expect(total([reply(8), reply(3)], { limit: 10, buffer: 4 })).toBeCloseTo(-0.25);
  });
});

describe('a target', () => {
  it('takes the distance as a share of it, at most 1', () => {
    expect([2, 4, 5, 100].map((count) => judgeLength(count, { target: 4 }).loss)).toEqual([0.5, 0, 0.25, 1]);
  });

  it('takes what is missing from the token that closed the block', () => {
    const { evidence } = score([reply(2)], { target: 4 });
    expect(evidence).toMatchObject([{ value: -0.5, note: '2 tokens are too few' }]);
    expect((evidence[0]?.end ?? 0) - (evidence[0]?.start ?? 0)).toBe(1);
  });
});

describe('of the whole reply', () => {
  const answer = `<answer>${Array.from({ length: 4 }, (_, i) => `w${i}`).join(' ')}</answer>`; // 6 tokens and the end

  it('counts every sampled token, with reasoning or without, and takes nothing from a short reply', () => {
    expect(total([answer], { of: 'reply', limit: 7, buffer: 1 })).toBe(-1);
    expect(total([answer], { of: 'reply', limit: 8, buffer: 2 })).toBe(-0.5);
    expect(total([answer], { of: 'reply', limit: 9, buffer: 2 })).toBe(0);
    expect(total([`<think>why</think>${answer}`], { of: 'reply', limit: 9, buffer: 1 })).toBe(-1);
    expect(score([answer], { of: 'reply' }).metrics).toEqual({ tokens: 7, over: 0 });
  });

  it('takes 1 from a reply that was cut at the limit, at its last tokens', () => {
    const words = `<answer>${Array.from({ length: 11 }, (_, i) => `w${i}`).join(' ')}`;
    const given = sampleTrajectoryOf([words, answer]);
    const { perTurn, evidence } = length.score(
      given,
      length.params.parse({ of: 'reply', limit: 13, buffer: 4 }),
    ) as Required<RewardResult>;
    expect(perTurn).toEqual([-0.5, 0]); // of two turns
    const { end } = given.turns[0]!.sampled;
    expect(evidence).toEqual([{ turn: 0, start: end - 4, end, value: -0.5, note: '4 tokens too many' }]);
  });
});

it('reads its own options again, as a run that is resumed does', () => {
  for (const options of [{}, { of: 'reply', limit: 64 }, { of: 'reply', target: 9 }]) {
    const once = length.params.parse(options);
    expect(length.params.parse(once)).toEqual(once);
  }
});

describe('a policy that games it', () => {
  it.each([
    ['nothing', '<think>'],
    ['no think block', '<answer>Down</answer>'],
    ['signs alone', sampleReply('... !? ||', 'Down')],
    ['a placeholder', sampleReply('[Your thoughts]', 'Down')],
  ])('gets the floor for %s', (_, text) => {
    expect(total([text])).toBe(-1);
  });

  it.each([
    ['a constant', 'ok'],
    ['the same word', 'ok '.repeat(400)],
    ['an echo of the demand', 'Always reply think answer and nothing else.'],
    ['a long text', Array.from({ length: 500 }, (_, i) => `w${i}`).join(' ')],
  ])('gains nothing over an honest reply by %s', (_, think) => {
    expect(total([sampleReply(think, 'Down')])).toBeLessThanOrEqual(total([reply(12)]));
  });
});

it('refuses a target beside a limit, and a buffer above the limit', () => {
  expect(() => length.params.parse({ target: 4, limit: 9 })).toThrow(/either/);
  expect(() => length.params.parse({ buffer: 300 })).toThrow(/must not exceed/);
});

it('has nothing to say about an episode without turns', () => {
  expect(length.score(sampleTrajectory([]), length.params.parse({}))).toMatchObject({ perTurn: [] });
});
