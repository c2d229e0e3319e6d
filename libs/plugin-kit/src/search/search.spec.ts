import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { termsOf } from './analyze.js';
import { buildSearchIndex, decodeLength, encodeLength } from './bm25.js';

const terms = (text: string): string[] => [...termsOf(text)];

describe('terms', () => {
  it.each([
    ["The Woman's running shoes", ['woman', 'run', 'shoe']],
    ['It is not for them', ['them']],
    ['wi-fi 3.5mm 1,000 USB_C', ['wi', 'fi', '3.5mm', '1,000', 'usb_c']],
    ['caresses ponies relational 🎁', ['caress', 'poni', 'relat', '🎁']],
    ['日本 table', ['日', '本', 'tabl']],
  ])('of %j', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });
});

describe('words', () => {
  it('are those of the segmenter, letter by letter', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
    const letters = [...'aBcE339.,;:\' -/\t\n"$%()@#~', ...'_é–日ーア’\u00a0ทา'];
    const stream = createStream(1);
    for (let round = 0; round < 4000; round++) {
      // half of the texts are ASCII
      const most = round % 2 === 0 ? 27 : letters.length;
      const text = Array.from({ length: 12 }, () => letters[stream.int(most)]).join('');
      const expected = [...segmenter.segment(text)]
        .filter(({ isWordLike }) => isWordLike)
        .flatMap(({ segment }) => (/\p{Script=Han}/u.test(segment) ? [...segment] : [segment]))
        .flatMap((word) => terms(word));
      expect(terms(text), JSON.stringify(text)).toEqual(expected);
    }
  });

  it('are found in time linear in the length of a text', () => {
    const start = performance.now();
    expect(terms('é'.repeat(1e5))).toHaveLength(100);
    expect(terms(`3,${'0'.repeat(1e5)} ${"it's.".repeat(2e4)}`).length).toBeGreaterThan(1);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('lengths in a byte', () => {
  it('are exact up to 40 and keep four digits above', () => {
    for (let length = 0; length <= 40; length++) expect(decodeLength(encodeLength(length))).toBe(length);
    expect(decodeLength(encodeLength(41))).toBe(40);
    expect(decodeLength(encodeLength(42))).toBe(42);
    for (const length of [100, 1000, 123_456]) {
      const kept = decodeLength(encodeLength(length));
      expect(kept).toBeLessThanOrEqual(length);
      expect(kept).toBeGreaterThan(length * 0.87);
    }
  });
});

describe('BM25', () => {
  const texts = ['red lamp', 'red red chair', 'blue table with lamp', 'red lamp'];
  const index = buildSearchIndex(texts, ['d', 'c', 'b', 'a']);

  it('orders by score, then by id', () => {
    expect(index.search('red lamp', 10)).toEqual([3, 0, 1, 2]);
    expect(index.search('lamp', 2)).toEqual([3, 0]);
    expect(index.search('with the sofa', 10)).toEqual([]);
    expect(index.search('', 10)).toEqual([]);
  });

  it('agrees with the formula', () => {
    // lengths 2, 3, 3 and 2: 2.5 on average; documents with `red`: 3, with `chair`: 1, with `blue`: 1
    const score = (holding: number, count: number, length: number): number =>
      (Math.log(1 + (4 - holding + 0.5) / (holding + 0.5)) * count) /
      (count + 0.9 * (1 - 0.4 + (0.4 * length) / 2.5));
    const sum = { chair: score(1, 1, 3) + score(3, 2, 3), table: 2 * score(1, 1, 3) };
    expect(sum.table).toBeGreaterThan(sum.chair);
    expect(index.search('blue blue chair red', 2)).toEqual([2, 1]);
    expect(index.search('blue chair red', 2)).toEqual([1, 2]);
  });
});
