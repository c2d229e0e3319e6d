import { runInThisContext } from 'node:vm';
import { createStream } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { type Arithmetic, evaluate, formatFraction, parseExpression, usesNumbers } from './expression.js';

/** The value as text, or why there is none. */
function compute(text: string, arithmetic: Arithmetic = 'fractions'): string {
  const expression = parseExpression(text, arithmetic);
  if (typeof expression === 'string') return `? ${expression}`;
  const value = evaluate(expression, arithmetic);
  return typeof value === 'string' ? `! ${value}` : formatFraction(value);
}

describe('an expression', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 4 - 3', '3'],
    ['60/(7-4)', '20'],
    ['7 / 2 * 2', '7'],
    ['-3 + +5 - -1', '3'],
    [' 1/3 + 1/6 ', '1/2'],
    ['1/3*3-1', '0'],
  ])('%s is %s', (text, value) => {
    expect(compute(text)).toBe(value);
  });

  // values of CPython 3.11
  it.each([
    ['-2 ** 2', '-4'],
    ['2 ** 3 ** 2', '512'],
    ['2 ** -1', '1/2'],
    ['-7 // 2', '-4'],
    ['-7 % 3', '2'],
    ['7 % -3', '-2'],
    ['7 // 2 * 2', '6'],
  ])('of Python, %s is %s', (text, value) => {
    expect(compute(text, 'python')).toBe(value);
    expect(compute(text)).toMatch(/^\?/);
  });

  it.each([
    ['', '? the end stands for no number'],
    ['3 +', '? the end stands for no number'],
    ['(3', '? a parenthesis is not closed'],
    ['3 4', '? "4" is left over'],
    ['07 + 1', '? "07" stands for no number'],
    ['1.5 + 2', '? ".5 + 2" is no part of a sum'],
    ['2 = 2', '? " = 2" is no part of a sum'],
    ['constructor', '? "construc" is no part of a sum'],
    ['5 / (3 - 3)', '! a division by zero'],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, '? it nests deeper than 32'],
    [`${'-'.repeat(60)}1`, '? it nests deeper than 32'],
    ['1+'.repeat(200), '? it has more than 200 characters'],
  ])('%j has no value: %s', (text, finding) => {
    expect(compute(text)).toBe(finding);
  });

  it('may not divide with a remainder where only whole numbers count', () => {
    expect(compute('7 / 2 * 2', 'whole')).toBe('! a division does not come out even');
    expect(compute('8 / 2 * 2', 'whole')).toBe('8');
  });

  it('cannot grow without end', () => {
    expect(compute('9 ** 9 ** 9 ** 9', 'python')).toMatch(/^! an exponent/);
    expect(compute('999 ** 64 ** 1 * 999 ** 64 * 999 ** 64 * 999 ** 64', 'python')).toBe(
      '! a number that is too large',
    );
  });

  it('uses each number as often as it is given', () => {
    expect(usesNumbers([3, 4, 3], [3, 3, 4], 'all')).toBe(true);
    expect(usesNumbers([3, 4, 4], [3, 3, 4], 'all')).toBe(false);
    expect(usesNumbers([3, 4], [3, 3, 4], 'all')).toBe(false);
    expect(usesNumbers([3, 4], [3, 3, 4], 'some')).toBe(true);
    expect(usesNumbers([], [3], 'some')).toBe(false);
  });
});

/** Evaluates with JavaScript's own parser; the text has digits, blanks and + - * / ( ) alone. */
const oracle = (text: string): number => Number(runInThisContext(`0,${text}`));

describe('20,000 random texts', () => {
  const parts = ['1', '2', '7', '10', '99', '+', '-', '*', '/', '(', ')', ' '];

  it('have the value that JavaScript computes, or none in both', () => {
    const stream = createStream(7);
    let computed = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + stream.int(11) }, () => stream.pick(parts)).join('');
      // what JavaScript reads differently: its own ++, --, comments, regular expressions
      if (/\+\s*\+|-\s*-|\/\s*[/*]|\*\s*\*|^\s*[/*]|[(+\-*/]\s*\//.test(text)) continue;
      let expected: number | undefined;
      try {
        expected = oracle(text);
      } catch {
        expected = undefined;
      }
      const value = compute(text);
      if (expected === undefined) expect([text, value]).toEqual([text, expect.stringMatching(/^\?/)]);
      else if (!Number.isFinite(expected)) expect(value).toMatch(/^!/);
      else {
        const [numerator, denominator = '1'] = value.split('/');
        expect(Number(numerator) / Number(denominator), text).toBeCloseTo(expected, 8);
        computed += 1;
      }
    }
    expect(computed).toBeGreaterThan(300);
  });
});
