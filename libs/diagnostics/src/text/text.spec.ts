import { describe, expect, it } from 'vitest';
import { estimateDistinct } from './distinct.js';
import { estimateBleu, estimateSelfBleu } from './self-bleu.js';
import { splitWords } from './words.js';

const texts = (...all: string[]): string[][] => all.map(splitWords);

describe('splitWords', () => {
  it('keeps words of any script and splits off marks', () => {
    expect(splitWords('Go  Left, né 2!')).toEqual(['go', 'left', ',', 'né', '2', '!']);
    expect(splitWords(' \n')).toEqual([]);
  });
});

describe('estimateDistinct', () => {
  it('counts distinct n-grams of all texts together', () => {
    // unigrams: a b a b c = 5, distinct 3; bigrams: "a b", "a b", "b c" = 3, distinct 2
    expect(estimateDistinct(texts('a b', 'a b c'), 1)).toBeCloseTo(3 / 5, 12);
    expect(estimateDistinct(texts('a b', 'a b c'), 2)).toBeCloseTo(2 / 3, 12);
  });

  it('is undefined where no text is long enough', () => {
    expect(estimateDistinct(texts('a', ''), 2)).toBeNaN();
    expect(estimateDistinct([], 1)).toBeNaN();
  });
});

describe('estimateBleu', () => {
  it('clips a repeated word to its largest count in one reference', () => {
    // Papineni's example: "the" × 7 against "the cat is on the mat" has unigram precision 2/7; bigrams and trigrams
    // match nothing, so 1/7 and 1/6; a longer text has no brevity penalty
    const [text, other] = texts('the the the the the the the', 'the cat is on the mat');
    expect(estimateBleu(text ?? [], [other ?? []])).toBeCloseTo(Math.cbrt((2 / 7) * (1 / 7) * (1 / 6)), 12);
  });

  it('penalizes a text that is shorter than its closest reference', () => {
    // all of "a b" matches, both orders; closest length 4: exp(1 - 4/2)
    const [text, other] = texts('a b', 'a b c d');
    expect(estimateBleu(text ?? [], [other ?? []])).toBeCloseTo(Math.exp(-1), 12);
  });

  it('is 0 where no word is shared', () => {
    const [text, other] = texts('a b c', 'd e f');
    expect(estimateBleu(text ?? [], [other ?? []])).toBe(0);
  });
});

describe('estimateSelfBleu', () => {
  it('is 1 when all say the same, and lower the more they differ', () => {
    expect(estimateSelfBleu(texts('go left now', 'go left now', 'go left now'))).toBeCloseTo(1, 12);
    // "a b" against "a c": precisions 1/2 and, smoothed, 1/2; the same the other way round
    expect(estimateSelfBleu(texts('a b', 'a c'))).toBeCloseTo(1 / 2, 12);
  });

  it('needs two texts with words', () => {
    expect(estimateSelfBleu(texts('a b', '', ' '))).toBeNaN();
  });
});
