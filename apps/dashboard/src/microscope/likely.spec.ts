import { describe, expect, it } from 'vitest';
import { likelyFrom, meanOfBuckets, meanOver, sentenceAround } from './likely.js';

describe('the sentence of a token', () => {
  const texts = ['I', ' see', ' ice', '.', ' Go', ' left', '!', '\n', 'Right', ' away'];
  const textOf = (token: number): string | undefined => texts[token - 10];
  const turn = { start: 10, end: 20 };

  it.each([
    [10, 10, 14],
    [13, 10, 14],
    [15, 14, 17],
    [17, 17, 18],
    [19, 18, 20],
  ])('of token %i is %i to %i', (token, start, end) => {
    expect(sentenceAround(token, turn, textOf)).toEqual({ start, end });
  });

  it('stays in its turn, ends where texts are unknown, and is not endless', () => {
    expect(sentenceAround(14, { start: 14, end: 16 }, textOf)).toEqual({ start: 14, end: 16 });
    expect(sentenceAround(15, turn, (token) => (token === 14 ? undefined : textOf(token))).start).toBe(15);
    const { start, end } = sentenceAround(500, { start: 0, end: 1000 }, () => 'a');
    expect(end - start).toBe(400);
  });
});

describe('means of log-probabilities', () => {
  it('leave out what has none, and are none where nothing has', () => {
    const values = [-1, null, -3];
    expect(meanOver((token) => values[token], { start: 0, end: 4 })).toBe(-2);
    expect(meanOver(() => null, { start: 0, end: 4 })).toBeUndefined();
  });
});

describe('when a text became likely', () => {
  const at = (...means: (number | undefined)[]) =>
    likelyFrom(means.map((mean, index) => ({ step: index * 5, mean })));

  it('is from the first checkpoint on after which it stays likely', () => {
    expect(at(-3, -2, -0.5, -0.1)).toBe(10);
    expect(at(-0.1, -0.2)).toBe(0);
    expect(at(-0.1, -3, -0.2)).toBe(10);
  });

  it('is never where the newest finds it unlikely, whatever was not scored', () => {
    expect(at(-0.1, -3)).toBeUndefined();
    expect(at(-0.1, -3, undefined)).toBeUndefined();
    expect(at()).toBeUndefined();
  });
});

it('takes the mean of buckets by how many tokens each has, and none for nothing', () => {
  // (2 · -1 + 6 · -3) / 8 = -2.5; a bucket without a value counts for nothing
  expect(meanOfBuckets([-1, null, -3], [2, 5, 6])).toBe(-2.5);
  expect(meanOfBuckets([null], [3])).toBeUndefined();
});
