import { describe, expect, it } from 'vitest';
import { cutText } from './cut-text.js';

describe('cutText', () => {
  it('leaves a short text whole, an empty one too', () => {
    expect([cutText('abc', 3), cutText('', 3)]).toEqual([['abc'], ['']]);
  });

  it('cuts after a line that ends in the second half of a piece, else at the size', () => {
    expect(cutText('abcd\nefgh', 6)).toEqual(['abcd\n', 'efgh']);
    expect(cutText('a\nbcdefgh', 6)).toEqual(['a\nbcde', 'fgh']);
  });

  it('never cuts a character of two units', () => {
    const text = 'a😀😀😀b';
    const pieces = cutText(text, 2);
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(piece).not.toMatch(/\p{Surrogate}/u);
  });

  it('makes a text of a million characters up again', () => {
    const text = Array.from({ length: 100_000 }, (_, line) => `line ${line}`).join('\n');
    const pieces = cutText(text, 3000);
    expect(pieces.join('')).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(3000);
  });
});
