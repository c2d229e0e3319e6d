import { describe, expect, it } from 'vitest';
import { agrees, findWritten, hasQuote } from './written-value.js';

describe('findWritten', () => {
  it.each([
    ['rose to 65.4 % ', 0.654, 0.0005],
    ['to −2.6 ', -2.6, 0.05],
    ['about 12 k', 12_000, 500],
    ['1,234 ', 1234, 0.5],
    ['a rate of 3e-4 ', 3e-4, 0.5e-4],
    ['between 10-20 %', 0.2, 0.005],
    ['(40 % ', 0.4, 0.005],
  ])('reads the number of %j', (text, value, tolerance) => {
    const written = findWritten(text);
    if (written?.kind !== 'number') throw new Error('no number');
    expect(written.value).toBeCloseTo(value, 12);
    expect(written.tolerance / tolerance).toBeCloseTo(1, 4);
  });

  it.each(['at step 40 ', 'in turn 3 ', 'with seed 2 ', 'it rose ', '', '40 of them rose '])(
    'finds nothing to check in %j',
    (text) => {
      expect(findWritten(text)).toBeUndefined();
    },
  );

  it('takes a quotation for one', () => {
    expect(findWritten('it says “go left” ')).toEqual({ kind: 'quote', text: 'go left' });
  });
});

describe('agrees', () => {
  it('allows what rounding explains, and no more', () => {
    const written = findWritten('65.4 % ');
    if (written?.kind !== 'number') throw new Error('no number');
    expect(agrees(written, 0.65449)).toBe(true);
    expect(agrees(written, 0.6535)).toBe(true);
    expect(agrees(written, 0.6546)).toBe(false);
  });
});

describe('hasQuote', () => {
  it('ignores white space, and lets an ellipsis leave something out, in order', () => {
    expect(hasQuote('go  left\nthen right', 'left then')).toBe(true);
    expect(hasQuote('go left then right', 'go … right')).toBe(true);
    expect(hasQuote('go left then right', 'right … go')).toBe(false);
    expect(hasQuote('go left', 'Left')).toBe(false);
  });
});
