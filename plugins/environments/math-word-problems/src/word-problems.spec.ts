import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStream, splitOfSeed } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, describe, expect, it } from 'vitest';
import mathWordProblems from './index.js';
import { type Problem, problemOf, readProblems, splitOfNumbers } from './problems.js';
import { tellStory } from './stories.js';

const folder = mkdtempSync(join(tmpdir(), 'word-problems-'));
afterAll(() => rmSync(folder, { recursive: true }));

let number = 0;
const write = (...rows: unknown[]): string => {
  const path = join(folder, `${++number}.jsonl`);
  writeFileSync(path, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
  return path;
};

const gsm8k = (place: number): object => ({
  question: `Leo has ${place} pens and buys 2 more. How many has he?`,
  answer: `He has ${place}+2 = <<${place}+2=${place + 2}>>${place + 2} pens.\n#### ${place + 2}`,
});
const forty = write(...Array.from({ length: 40 }, (_, place) => gsm8k(1000 + place)));

testEnvironment(mathWordProblems, { oracleSolves: 1 });
testEnvironment(mathWordProblems, {
  params: { problems: { source: 'generated', steps: [4, 4], highest: 1000 }, matching: 'text' },
  oracleSolves: 1,
});
testEnvironment(mathWordProblems, {
  params: { problems: { source: 'files', train: [forty] } },
  oracleSolves: 1,
});

const create = (given: Record<string, unknown> = {}): ReturnType<typeof mathWordProblems.create> =>
  mathWordProblems.create(mathWordProblems.params.parse(given));

const problem: Problem = { question: 'How many?', answer: '1,072', solution: '1000 + 72 = 1072.' };
const seeds = { train: 4_194_304, validation: 123_000, test: 2_000_000 } as const;

describe('an episode', () => {
  const play = async (...answers: string[]) => {
    const instance = create();
    instance.restore!({ ...problem, wrong: 0, last: '', isSolved: false });
    const results = [];
    for (const answer of answers) results.push(await instance.step(answer));
    return { instance, results };
  };

  it('halves the reward with every wrong answer and ends with the right one', async () => {
    const { results, instance } = await play('1,000', '', '1072.');
    expect(
      results.map(({ reward, done, valid, observation }) => [reward, done, valid, observation.text]),
    ).toEqual([
      [0, false, true, 'Incorrect. Please think again.'],
      [0, false, false, 'Incorrect. Please think again.'],
      [0.25, true, true, 'Correct!'],
    ]);
    expect(results[2]).toMatchObject({ success: true, metrics: { is_number: 1 } });
    expect(instance.render()).toBe('How many?\n1072.   ✓');
    expect(await instance.step('1072')).toMatchObject({ reward: 0, done: true, effective: false });
  });

  it('gives 1 at once, and has a state of its own after each answer', async () => {
    expect((await play('1072')).results[0]).toMatchObject({ reward: 1, done: true, success: true });
    const { results } = await play('1', '1', '1');
    expect(new Set(results.map(({ observation }) => observation.stateKey)).size).toBe(3);
    expect(results.every(({ effective }) => effective)).toBe(true);
  });

  it('takes any text in a moment, and pays for none of it', async () => {
    const stream = createStream(7);
    const parts = [
      '1',
      ',',
      '$',
      '\\boxed{',
      '}',
      '/',
      '%',
      '.',
      ' ',
      '\n',
      '\u0000',
      '💥',
      '\ud800',
      '__proto__',
      '-',
      '|',
    ];
    const instance = create();
    instance.restore!({ ...problem, answer: 'constructor', wrong: 0, last: '', isSolved: false });
    for (let round = 0; round < 5000; round++) {
      const action = Array.from({ length: 1 + stream.int(8) }, () => stream.pick(parts)).join('');
      expect(await instance.step(action)).toMatchObject({ reward: 0, done: false });
    }
    for (const part of [...parts, '\\boxed{', 'the answer is '])
      for (const length of [150, 1900, 1e5]) {
        const start = performance.now();
        await instance.step(part.repeat(Math.ceil(length / part.length)));
        instance.render();
        expect(performance.now() - start, part).toBeLessThan(200);
      }
    expect(JSON.stringify(instance.snapshot!()).length).toBeLessThan(3000);
  });

  it('rewards no constant, no echo and no list of numbers', async () => {
    let paid = 0;
    for (let seed = 0; seed < 200; seed++) {
      const instance = create();
      const { text } = await instance.reset({ state: seed, noise: 0 });
      const { numbers } = instance.facts!() as { numbers: string[] };
      for (const action of ['12', text, numbers.join(' '), numbers.join(', '), numbers.join(' + ')])
        paid += (await instance.step(action)).reward;
    }
    expect(paid / 200).toBeLessThan(0.1);
  });
});

describe('the generated problems', () => {
  const made = { source: 'generated', steps: [1, 3], highest: 20 } as const;

  it('have calculations that are true, follow from their numbers and end in the answer', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const steps = 1 + (seed % 4);
      const { text, calculations, answer } = tellStory(createStream(seed), steps, 50);
      expect(calculations).toHaveLength(steps);
      const known = new Set((text.match(/\d+/g) ?? []).map(Number));
      for (const number of [2, 3, 100]) known.add(number);
      let last = NaN;
      for (const calculation of calculations) {
        const [, left, sign, right, result] = (
          /^(\d+) ([-+*/]) (\d+) = (\d+)\.$/.exec(calculation) ?? []
        ).map((part) => (/^\d+$/.test(part) ? Number(part) : part)) as [
          unknown,
          number,
          string,
          number,
          number,
        ];
        expect(known.has(left) && known.has(right), `${text} ${calculation}`).toBe(true);
        const value = { '+': left + right, '-': left - right, '*': left * right, '/': left / right }[sign];
        expect(value, calculation).toBe(result);
        known.add(result);
        last = result;
      }
      expect(last).toBe(answer);
      expect(answer).toBeGreaterThan(0);
    }
  });

  it('have as many steps as asked for', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { solution } = problemOf(seed, { ...made, steps: [2, 3] });
      expect(['2', '3']).toContain(String(solution.split('=').length - 1));
    }
    expect(
      mathWordProblems.params.safeParse({ problems: { source: 'generated', steps: [3, 1] } }).error?.issues[0]
        ?.message,
    ).toContain('swap them');
  });

  it.each([made, { ...made, steps: [1, 1], highest: 10 } as const])(
    'of the splits share no numbers: %j',
    (source) => {
      const dealt = Object.values(seeds).map((first) =>
        Array.from({ length: 1000 }, (_, place) => problemOf(first + place, source)),
      );
      const solutions = dealt.map((problems) => new Set(problems.map(({ solution }) => solution)));
      const questions = dealt.map((problems) => new Set(problems.map(({ question }) => question)));
      for (const sets of [solutions, questions])
        expect(new Set(sets.flatMap((set) => [...set])).size).toBe(
          sets.reduce((sum, set) => sum + set.size, 0),
        );
      expect(
        dealt
          .flat()
          .every(
            ({ solution }, place) =>
              splitOfNumbers(solution) === splitOfSeed(Object.values(seeds)[Math.floor(place / 1000)]!).split,
          ),
      ).toBe(true);
    },
  );
});

describe('files', () => {
  const meta = (original: string, query: string, answer: string): object => ({
    type: 'GSM_Rephrased',
    query,
    original_question: original,
    response: `Some steps.\n#### ${answer}\nThe answer is: ${answer}`,
  });

  it('have rows of GSM8K, of MetaMathQA, and plain ones', () => {
    const rows = readProblems(
      write(gsm8k(3), meta('What?', 'So, what?', '3/4'), {
        question: 'Plain?',
        answer: 7,
        original_question: 'P',
      }),
    );
    expect(rows).toEqual([
      {
        question: 'Leo has 3 pens and buys 2 more. How many has he?',
        answer: '5',
        solution: 'He has 3+2 = 5 pens.',
        original: 'Leo has 3 pens and buys 2 more. How many has he?',
      },
      { question: 'So, what?', answer: '3/4', solution: 'Some steps.', original: 'What?' },
      { question: 'Plain?', answer: '7', solution: '', original: 'P' },
    ]);
    expect(readProblems(write(gsm8k(1), 'not read'), 1)).toHaveLength(1);
  });

  it('give each question to one split with everything that stems from it', () => {
    const originals = Array.from({ length: 100 }, (_, place) => `Original ${place}?`);
    const train = [
      write(
        ...originals.flatMap((text, place) => ['A', 'B'].map((way) => meta(text, `${way} ${place}?`, '1'))),
      ),
    ];
    const test = [
      write(
        ...originals
          .slice(0, 20)
          .map((question) => ({ question: ` ${question.toUpperCase()}`, answer: '1' })),
      ),
    ];
    const numbersOf = (source: object, split: keyof typeof seeds): Set<string> =>
      new Set(
        Array.from({ length: 300 }, (_, place) =>
          problemOf(seeds[split] + place, { source: 'files', train, ...source }).question.replace(/\D/g, ''),
        ),
      );
    for (const source of [{}, { test }]) {
      const sets = [numbersOf(source, 'train'), numbersOf(source, 'validation'), numbersOf(source, 'test')];
      const all = sets.flatMap((set) => [...set]);
      expect(new Set(all).size).toBe(all.length);
      expect(all).toHaveLength(100);
    }
    expect(numbersOf({ test }, 'test')).toEqual(
      new Set(originals.slice(0, 20).map((_, place) => String(place))),
    );
  });

  it('keep every question of a test file out of training, also those beyond the count', () => {
    const row = (place: number): object => ({ question: `Original ${place}?`, answer: '1' });
    const source = {
      source: 'files',
      train: [write(...Array.from({ length: 30 }, (_, place) => row(place + 10)))],
      test: [write(...Array.from({ length: 20 }, (_, place) => row(place)))],
      count: 15,
    } as const;
    const asked = (seed: number): Set<number> =>
      new Set(
        Array.from({ length: 60 }, (_, place) =>
          Number(problemOf(seed + place, source).question.replace(/\D/g, '')),
        ),
      );
    expect([...asked(seeds.test)].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 15 }, (_, place) => place),
    );
    // of rows 10 to 24, the questions 10 to 19 are those of the test file
    expect(Math.min(...asked(seeds.train))).toBeGreaterThanOrEqual(20);
    expect(Math.max(...asked(seeds.train))).toBeLessThan(25);
  });

  it.each([
    ['a missing question', { answer: '7' }, 'line 2: has no `query` and no `question`'],
    ['a missing answer', { question: 'What?' }, 'line 2: has no final answer'],
    ['an empty answer', { question: 'What?', answer: 'It is so.\n#### ' }, 'line 2: has no final answer'],
    [
      'a solution without an end',
      { question: 'What?', answer: 'x'.repeat(300) },
      'line 2: has no final answer',
    ],
    ['a row that is a number', 7, 'line 2: has no `query`'],
    ['names of every object', '{"__proto__":{"question":"x","answer":"1"}}', 'line 2: has no `query`'],
    ['a broken line', '{"question":', 'line 2: is not JSON'],
  ])('with %s are an error with its line', (_name, row, finding) => {
    const path = write(gsm8k(1), row);
    expect(() => readProblems(path)).toThrow(
      expect.objectContaining({
        code: 'plugin.failed',
        message: expect.stringContaining(`read ${path}, ${finding}`) as string,
      }),
    );
  });

  it('that are missing or empty are an error of the first reset', () => {
    const open = (train: string): unknown =>
      create({ problems: { source: 'files', train: [train] } }).reset({ state: 0, noise: 0 });
    expect(() => open(join(folder, 'none.jsonl'))).toThrow(/opening it: ENOENT; give the path/);
    expect(() => open(write(''))).toThrow(/has no problem; expected rows/);
    const few = { problems: { source: 'files', train: [write(gsm8k(1))] } };
    expect(() => create(few).reset({ state: seeds.test, noise: 0 })).toThrow(/split test; give more tasks/);
  });
});
