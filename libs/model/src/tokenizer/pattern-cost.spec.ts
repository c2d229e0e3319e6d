import { describe, expect, it } from 'vitest';
import { findCostlyPart } from './pattern-cost.js';

describe('patterns of tokenizers', () => {
  it.each([
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{M}]*[\\p{Ll}\\p{M}]+(?i:'s|'t)?|\\p{N}{1,3}| ?[^\\s]+[\\r\\n/]*",
    '[0-9]|[#_√\\n]|[OXPSG](?![a-z])| ?(?![OXPSG](?![a-z]))[A-Za-z][a-z]*| +',
    '(?=(\\d{3})+(?!\\d))',
    '[(+*]+',
    '\\(a\\)+',
  ])('%s is let through', (pattern) => expect(findCostlyPart(pattern)).toBeUndefined());

  it.each([
    ['(a+)+$', 'a repeated group'],
    ['(x|x)*y', 'a repeated group'],
    ['(?:(?:a*)*)*b', 'a repeated group'],
    ['(a?a?)*b', 'a repeated group'],
    ['((a{1,2})){20,}b', 'a repeated group'],
    ['(?:[ab]+){9}c', 'a repeated group'],
    ['.*.*.*=', 'open repetitions in a row'],
    ['.+(?:.+)(.+)=', 'open repetitions in a row'],
  ])('%s is refused: %s', (pattern, reason) => expect(findCostlyPart(pattern)).toContain(reason));

  it('that are refused really are slow, and those let through are not', () => {
    const seconds = (pattern: string, text: string): number => {
      const begin = process.cpuUsage();
      new RegExp(pattern, 'u').test(text);
      return process.cpuUsage(begin).user / 1e6;
    };
    expect(seconds('(a+)+$', `${'a'.repeat(24)}!`)).toBeGreaterThan(0.05);
    expect(seconds('\\s*[\\r\\n]+x', '\n'.repeat(400))).toBeLessThan(1);
  });
});
