import { describe, expect, it } from 'vitest';
import { isCorrect, parseNumber } from './answer.js';

describe('a number', () => {
  it.each([
    ['72', 72],
    [' 72 ', 72],
    ['72.', 72],
    ['72.0', 72],
    ['072', 72],
    ['+7', 7],
    ['-3', -3],
    ['\u22123', -3],
    ['-$3.50', -3.5],
    ['1,000', 1000],
    ['1,234,567.5', 1234567.5],
    ['1 000', 1000],
    ['1{,}000', 1000],
    ['$12.50', 12.5],
    ['\\$12.50.', 12.5],
    ['£ 5', 5],
    ['3/4', 0.75],
    ['6 / 8', 0.75],
    ['3 1/2', 3.5],
    ['-3 1/2', -3.5],
    ['3 100/200', 3.5],
    ['\\frac{3}{4}', 0.75],
    ['3\\frac{1}{2}', 3.5],
    ['\\dfrac{3}{4}', 0.75],
    ['.5', 0.5],
    ['50%', 50],
    ['50\\%', 50],
    ['12.5 %', 12.5],
    ['\\boxed{72}', 72],
    ['$\\boxed{\\frac{3}{4}}$.', 0.75],
    ['\\boxed{\\$1,000}', 1000],
    ['The answer is: 72.', 72],
    ['Answer: 72', 72],
  ])('is %j', (text, expected) => {
    const { numerator, denominator } = parseNumber(text)!;
    expect(Number(numerator) / Number(denominator)).toBe(expected);
  });

  it.each([
    '',
    '.',
    '-',
    '%',
    '$',
    '72 clips',
    '70 or 72',
    '70 72',
    '70, 72',
    '1,00',
    '10,00',
    '1,0000',
    '1,234 567',
    '0,123',
    '012,345',
    '000 123',
    '1,000,00',
    '12,50',
    '1.000.000',
    '1e3',
    '0x48',
    '--3',
    '-+3',
    '6 * 12',
    '6/0',
    '1/2/3',
    '1/-2',
    '3 dozen',
    'seventy-two',
    '7 2',
    '\\boxed{70}\\boxed{72}',
    'x = 72',
    'Infinity',
    'NaN',
    '__proto__',
    '７２',
    '72\u0000',
    '9'.repeat(101),
  ])('is not %j', (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });
});

describe('an answer', () => {
  it.each([
    ['72.00', '72', true],
    ['$1,000', '1000', true],
    ['0.75', '3/4', true],
    ['50%', '50', true],
    // a unit, not a division: GSM8K asks for percentages and expects 50
    ['50%', '0.5', false],
    ['0.333', '1/3', false],
    ['31/2', '3 1/2', false],
    ['1 2', '12', false],
    ['-72', '72', false],
    ['70 72', '72', false],
    ['99999999999999999999.1', '99999999999999999999', false],
  ])('%j for %j: %s', (answer, expected, right) => {
    expect(isCorrect(answer, expected, 'value')).toBe(right);
  });

  it('that is no number is compared as text, without its box', () => {
    expect(isCorrect('\\boxed{x^2 + 1}', 'x^2+1', 'value')).toBe(true);
    expect(isCorrect('Tuesday.', 'tuesday', 'value')).toBe(true);
    expect(isCorrect('(2, 3)', '(3, 2)', 'value')).toBe(false);
    expect(isCorrect('72', 'x', 'value')).toBe(false);
  });

  it('that is empty is never right', () => {
    for (const matching of ['value', 'text'] as const)
      for (const [answer, expected] of [
        ['', ''],
        [' ', '.'],
        ['.', '.'],
        ['', 'The answer is:'],
      ] as const)
        if (answer !== '.' || matching === 'value')
          expect(isCorrect(answer, expected, matching), `${answer} for ${expected}`).toBe(false);
  });

  it('is compared as RAGEN does where that is asked for', () => {
    expect(isCorrect(' 7 2 ', '72', 'text')).toBe(true);
    expect(isCorrect('TUES day', 'Tuesday', 'text')).toBe(true);
    for (const other of ['72.0', '$72', '72.']) expect(isCorrect(other, '72', 'text'), other).toBe(false);
  });
});
