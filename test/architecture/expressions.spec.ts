import { describe, expect, it } from 'vitest';
import { type Expression, expressionsOf, type Hostile, hostileTexts, isRepetitive } from './expressions.js';
import { sourceFiles } from './source-files.js';

/** In characters; for longer texts an expression with quadratic time takes a second or more. */
const longest = 16_384;
/** Enough that one of them is not interrupted on a busy machine. */
const tries = 8;
/** A linear expression needs less than a tenth of it for the longest text. */
const quickMs = 10;

function fill({ before, piece, after }: Hostile, length: number): string {
  return before + piece.repeat(Math.max(1, Math.ceil(length / piece.length))) + after;
}

/** The minimum of several measurements, because other load only adds time; one fast measurement is enough. */
function timeOf(regex: RegExp, text: string): number {
  let least = Infinity;
  for (let tried = 0; tried < tries && least > quickMs; tried += 1) {
    const begin = performance.now();
    if (regex.global) text.replace(regex, '');
    else regex.exec(text);
    regex.lastIndex = 0;
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

/** Describes how the time grows with the length of a text, if it grows faster than linearly. */
function findGrowth(regex: RegExp, hostile: Hostile): string | undefined {
  // small ones first: exponential growth never returns from long ones
  for (const length of [24, 48, 128, 1024, longest / 4, longest]) {
    const ms = timeOf(regex, fill(hostile, length));
    if (ms <= quickMs) continue;
    const half = timeOf(regex, fill(hostile, length / 2));
    if (length < 1024 || ms > 3 * half)
      return `${JSON.stringify(hostile)}: ${ms.toFixed(0)} ms for ${length} characters, ${half.toFixed(1)} ms for half`;
  }
  return undefined;
}

function findSlow({ place, regex, text }: Expression): string[] {
  if (regex === undefined || !isRepetitive(regex)) return [];
  for (const hostile of hostileTexts(regex)) {
    const growth = findGrowth(regex, hostile);
    if (growth !== undefined) return [`${place} ${text}: ${growth}`];
  }
  return [];
}

const files = sourceFiles().filter(
  ({ path }) => /^(?:apps|libs|plugins)[/]/.test(path) && !path.endsWith('.spec.ts'),
);
const found = files.flatMap(({ path, text }) => expressionsOf(path, text));

describe('regular expressions', () => {
  it('take time linear in the length of any text', () => {
    expect(found.length).toBeGreaterThan(100);
    const open = found.filter(({ reason }) => reason === undefined);
    const different = new Map(open.map((expression) => [String(expression.regex), expression]));
    expect([...different.values()].flatMap(findSlow)).toEqual([]);
    // takes seconds on an idle machine
  }, 300_000);

  it('are literals, or have a comment that says what they are built from', () => {
    const dynamic = found.filter(({ regex, reason }) => regex === undefined && reason === undefined);
    expect(dynamic.map(({ place, text }) => `${place} ${text}`)).toEqual([]);
  });

  it.each([
    [/(\w+:\/\/[^\s:/@"]+:)[^\s@"]+@/g, 'a word begins anywhere'],
    [/"(?:\\.|[^"\\\n])*"|[{}]/g, 'a string begins at every escaped quotation mark'],
    [/\/+$/, 'slashes that end anywhere but at the end'],
    [/^(a+)+$/, 'a repetition in a repetition'],
    [/^\s*,?\s*;$/, 'two repetitions that share characters'],
  ])('that are slow are found: %s, %s', (regex) => {
    expect(findSlow({ place: 'x', text: String(regex), regex, reason: undefined })).toHaveLength(1);
  });

  it.each([
    [/^(?:a|bc){2,9}\d?$/, false],
    [/^[a-z]*$/, true],
    [/(?=.+)x/, true],
    [/(?:a{1,500}){500}/, true],
  ])('%s repeats without a bound: %s', (regex, expected) => {
    expect(isRepetitive(regex)).toBe(expected);
  });

  it.each([/(?<!\/)\/+$/, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, /\s+/g])(
    'that are quick are let be: %s',
    (regex) => {
      expect(findSlow({ place: 'x', text: String(regex), regex, reason: undefined })).toEqual([]);
    },
  );
});
