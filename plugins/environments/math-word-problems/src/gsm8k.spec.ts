/**
 * @file Against GSM8K and MetaMath's backward questions, which are not part of the repository: they are read from the folder
 * that MATH_DATA names, with `gsm8k/train.jsonl`, `gsm8k/test.jsonl` and `metamath/GSM8K_Backward.jsonl`.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCorrect, parseNumber } from './answer.js';
import mathWordProblems from './index.js';
import { problemOf, readProblems } from './problems.js';

const folder = process.env['MATH_DATA'] ?? '';
const train = join(folder, 'gsm8k', 'train.jsonl');
const test = join(folder, 'gsm8k', 'test.jsonl');
const backward = join(folder, 'metamath', 'GSM8K_Backward.jsonl');

describe.skipIf(folder === '')('GSM8K and MetaMath, in the folder MATH_DATA', () => {
  it('are read whole, and every answer is a number that equals itself', () => {
    const rows = [train, test, backward].map((file) => readProblems(file));
    expect(rows.map(({ length }) => length)).toEqual([7473, 1319, 1270]);
    for (const { answer, solution } of rows.flat()) {
      expect(parseNumber(answer), answer).toBeDefined();
      expect(isCorrect(`\\boxed{${answer}}.`, answer, 'value'), answer).toBe(true);
      expect(solution).not.toMatch(/<<|####/);
    }
    expect(rows.flat().filter(({ answer }) => answer.includes(',')).length).toBeGreaterThan(90);
  });

  it('ask each of the 1,319 test questions once, and none of them in training', () => {
    const source = { source: 'files', train: [train, backward], test: [test] } as const;
    const ask = (first: number, count: number): string[] =>
      Array.from({ length: count }, (_, place) => problemOf(first + place, source).question);
    const tested = new Set(ask(2_000_000, 1319));
    expect(tested.size).toBe(1319);
    const others = new Set([...ask(4_194_304, 9000), ...ask(123_000, 2000)]);
    expect(others.size).toBe(7473);
    expect([...others].filter((question) => tested.has(question))).toEqual([]);
    // backward questions stem from questions of the test
    expect([...others].filter((question) => question.includes('unknown variable x'))).toEqual([]);
  });

  it('are solved by the oracle', async () => {
    const problems = { source: 'files', train: [train], test: [test] };
    const instance = mathWordProblems.create(mathWordProblems.params.parse({ problems }));
    for (let seed = 2_000_000; seed < 2_001_319; seed++) {
      await instance.reset({ state: seed, noise: 0 });
      expect(await instance.step(instance.oracle!()[0]!)).toMatchObject({ reward: 1, success: true });
    }
  });
});
