import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvironmentInstance, type Observation, type StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import codeRepair from './index.js';
import { openTasks, taskSets } from './library.js';
import { visibleTests } from './report.js';
import { mostLanes, pool } from './sandbox/pool.js';
import { toLiteral } from './values.js';

const folder = mkdtempSync(join(tmpdir(), 'code-repair-'));
afterAll(() => rmSync(folder, { recursive: true }));

// some of the programs never end, and each costs the time limit
const javascript = { tasks: { source: 'shipped', sets: ['javascript'] }, timeLimitMs: 1000 };

testEnvironment(codeRepair, { params: javascript, oracleSolves: 1 });
testEnvironment(codeRepair, {
  params: { ...javascript, reward: 'solved', visible: 0, listed: 1 },
  seeds: [3, 4],
  oracleSolves: 1,
});
testEnvironment(codeRepair, {
  params: { tasks: { source: 'shipped', sets: ['quixbugs'] }, timeLimitMs: 60_000 },
  seeds: [0, 7],
  oracleSolves: 1,
});

let number = 0;
const write = (...tasks: unknown[]): string => {
  const path = join(folder, `${++number}.jsonl`);
  writeFileSync(path, tasks.map((task) => JSON.stringify(task)).join('\n'));
  return path;
};
const twice = {
  name: 'twice',
  language: 'javascript',
  entry: 'twice',
  text: 'A number times two.',
  broken: 'function twice(n) {\n  return n;\n}',
  solution: 'function twice(n) {\n  return 2 * n;\n}',
  tests: [0, 1, 2, 3].map((n) => ({ args: [n], expected: 2 * n })),
};
const filesOf = (...tasks: unknown[]): unknown => {
  const file = write(...tasks);
  return { source: 'files', tasks: [file], test: [file] };
};
const opened: EnvironmentInstance[] = [];
afterEach(async () => {
  for (const instance of opened.splice(0)) await instance.close!();
});
async function begin(tasks: unknown, given: object = {}): Promise<[EnvironmentInstance, Observation]> {
  const instance = codeRepair.create(codeRepair.params.parse({ tasks, timeLimitMs: 20_000, ...given }));
  opened.push(instance);
  return [instance, await instance.reset({ state: 2_000_000, noise: 0 })];
}
const act = async (instance: EnvironmentInstance, action: string): Promise<StepResult> =>
  instance.step(action);

describe('a repair', () => {
  it('shows program, text and failing tests that may be shown, and ends when all pass', async () => {
    const [instance, { text }] = await begin(filesOf(twice));
    expect(text).toBe(
      [
        'twice, in JavaScript:',
        '1 | function twice(n) {',
        '2 |   return n;',
        '3 | }',
        '',
        'A number times two.',
        '',
        'Tests: 1 of 4 pass.',
        'twice(1) should be 2, but is 1',
      ].join('\n'),
    );
    const worse = await act(instance, 'edit 2\n  return undefined;');
    expect(worse).toMatchObject({
      reward: 0,
      done: false,
      valid: true,
      effective: true,
      metrics: { tests_passed: 0 },
    });
    expect(worse.observation.text).toContain('twice(0) should be 0, but is <undefined>');
    const some = await act(instance, 'submit\n```js\nfunction twice(n) { return [0, 2, 4][n]; }\n```');
    expect(some).toMatchObject({ done: false, metrics: { tests_passed: 0.75 } });
    expect(some.reward).toBeCloseTo(2 / 3, 12);
    expect(some.observation.text).toContain('All tests that are shown pass; hidden ones do not.');
    expect(await act(instance, 'edit 1\nfunction twice(n) { return n; }')).toMatchObject({ reward: 0 });
    expect(instance.oracle!()).toEqual([`edit 1\n${twice.solution}`]);
    const last = await act(instance, instance.oracle!()[0]!);
    expect(last).toMatchObject({ done: true, success: true, metrics: { tests_passed: 1 } });
    expect(last.reward).toBeCloseTo(1 / 3, 12);
    expect(await act(instance, 'edit 1\ntwice')).toMatchObject({ done: true, valid: false, reward: 0 });
    expect(instance.oracle!()).toEqual([]);
  });

  it('pays 1 at the end only, where so asked', async () => {
    const [instance] = await begin(filesOf(twice), { reward: 'solved' });
    expect(await act(instance, 'submit\nconst twice = (n) => [0, 2, 4][n]')).toMatchObject({ reward: 0 });
    expect(await act(instance, 'submit\nconst twice = (n) => n + n')).toMatchObject({
      reward: 1,
      success: true,
    });
  });

  it('gives a program as much memory as is set', async () => {
    const greedy = 'submit\nfunction twice(n) {\n  new Uint8Array(48 * 2 ** 20);\n  return 2 * n;\n}';
    const [small] = await begin(filesOf(twice), { memoryMb: 32 });
    expect(await act(small, greedy)).toMatchObject({ success: false, metrics: { tests_passed: 0 } });
    const [large] = await begin(filesOf(twice), { memoryMb: 256 });
    expect(await act(large, greedy)).toMatchObject({ success: true });
  });

  it('says what a program printed, and why it cannot be used', async () => {
    const [instance] = await begin(filesOf(twice));
    const unusable = await act(instance, 'submit\nfunction twice(n) {');
    expect(unusable).toMatchObject({ metrics: { unusable: 1, tests_passed: 0 } });
    expect(unusable.observation.text).toContain('The program cannot be used: SyntaxError:');
    const { observation } = await act(instance, 'edit 1\nconst twice = (n) => console.log("n is", n, [n]);');
    // and nothing of the calls of hidden tests
    expect(observation.text).toMatch(/Output: n is 0 \[0\]\nn is 1 \[1\]$/);
  });

  it('refuses what changes no program without starting an interpreter', async () => {
    const [instance] = await begin(filesOf(twice));
    const { programs } = pool.counts();
    for (const action of [
      '',
      'edit',
      'edit x',
      'edit 0',
      'edit 4\nx',
      'edit 3-2\nx',
      'edit 1-9\nx',
      'edit -1',
      'submit',
      'submit\n',
      'submit\nfunction other() {}',
      `submit\n${'twice'.repeat(5000)}`,
      '__proto__',
      'return 2 * n',
    ])
      expect(await act(instance, action), action).toMatchObject({
        valid: false,
        effective: false,
        reward: 0,
      });
    expect(await act(instance, `submit\n${twice.broken}`)).toMatchObject({ valid: true, effective: false });
    expect(pool.counts().programs).toBe(programs);
  });

  it('runs a program once, and one that was cut off again', async () => {
    const tasks = filesOf({ ...twice, name: 'known' });
    const runs = async (program: string, given: object): Promise<number> => {
      const [instance] = await begin(tasks, given);
      const before = pool.counts().programs;
      await act(instance, `submit\n${program}`);
      return pool.counts().programs - before;
    };
    const plain = 'const twice = (n) => n - 1;';
    expect([await runs(plain, {}), await runs(plain, {})]).toEqual([1, 0]);
    // other output may be shown of it
    expect(await runs(plain, { visible: 0 })).toBe(1);
    const endless = 'const twice = () => { for (;;); };';
    const short = { timeLimitMs: 3000 };
    expect([await runs(endless, short), await runs(endless, short)]).toEqual([1, 1]);
  });

  it('gives no success to constants and to answers for the tests that are shown', async () => {
    const tasks = { source: 'shipped', sets: ['javascript'] } as const;
    const instance = codeRepair.create(codeRepair.params.parse({ tasks, timeLimitMs: 2000 }));
    opened.push(instance);
    const functions = new Set<string>();
    // consecutive seeds from 0 on are those of the training tasks, in their order
    for (const [seed, { task }] of openTasks(tasks).train.entries()) {
      if (functions.has(task.entry)) continue;
      functions.add(task.entry);
      await instance.reset({ state: seed, noise: 0 });
      expect(instance.facts!()).toMatchObject({ function: task.entry });
      const shown = task.tests
        .slice(0, visibleTests(task, { visible: 0.5 }))
        .map(({ args, expected }) => [toLiteral(args, 'javascript'), toLiteral(expected, 'javascript')]);
      const known = shown.map(
        ([args, result]) => `if (JSON.stringify(given) === JSON.stringify(${args})) return ${result};\n`,
      );
      for (const lines of ['', known.join('')]) {
        const program = `function ${task.entry}(...given) {\n${lines}return ${shown.at(-1)![1]};\n}`;
        const result = await act(instance, `submit\n${program}`);
        expect(result, program).toMatchObject({ done: false, success: false, valid: true });
        if (lines !== '')
          expect(result.metrics!['tests_passed'], program).toBeGreaterThanOrEqual(
            shown.length / task.tests.length,
          );
      }
    }
    expect(functions.size).toBeGreaterThan(8);
  });

  it('is played by as many at once as there are threads', () => {
    expect(codeRepair.reads!(codeRepair.params.parse({}))).toEqual({ noise: false, episodes: mostLanes });
  });
});

describe('tasks of files', () => {
  const start = async (...tasks: unknown[]): Promise<unknown> => {
    try {
      return await begin(filesOf(...tasks), { timeLimitMs: 3000 });
    } catch (error) {
      return error;
    }
  };
  it.each([
    [
      'a solution that fails',
      { ...twice, solution: twice.broken },
      /"twice" \(.*line 1\): its solution passes 1 of 4 tests; mend it or them/,
    ],
    [
      'a fault that no test finds',
      { ...twice, broken: `${twice.solution} ` },
      /its broken program passes all tests; give it a fault/,
    ],
    [
      'a solution that does not end',
      { ...twice, solution: 'for (;;);' },
      /its solution did not end in time; raise timeLimitMs/,
    ],
    ['no tests', { ...twice, tests: [] }, /line 1: .*tests.*; mend the task/],
    ['a name that is none', { ...twice, entry: 'a b' }, /line 1: .*expected the name of a function/],
    [
      'a value that is none',
      { ...twice, tests: [{ args: [{ a: 1 }], expected: 1 }, twice.tests[0]] },
      /line 1: .*expected JSON, with/,
    ],
    ['another field', { ...twice, hint: 1 }, /line 1: .*hint/],
  ])('with %s are an error that names them', async (_name, task, message) => {
    expect(await start(task)).toMatchObject({
      code: 'plugin.failed',
      message: expect.stringMatching(message) as string,
    });
  });

  it('are tried again after an error', async () => {
    const never = { ...twice, name: 'never', solution: 'function twice(n) { for (;;); }' };
    const tasks = filesOf(never);
    for (let round = 0; round < 2; round++)
      await expect(begin(tasks, { timeLimitMs: 100 })).rejects.toMatchObject({
        code: 'plugin.failed',
        details: { task: 'never' },
      });
  });
});

describe('tasks of files whose functions all have one name', () => {
  const adding = (n: number): object => ({
    ...twice,
    name: `add ${n}`,
    entry: 'solve',
    solution: `function solve(x) {\n  return x + ${n};\n}`,
  });
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const solutionsOf = (tasks: readonly { task: { solution: string } }[]): Set<string> =>
    new Set(tasks.map(({ task }) => task.solution));

  it('are in splits without a common solution', () => {
    const tasks = numbers.flatMap((n) => [adding(n), { ...adding(n), name: `another fault ${n}` }]);
    const splits = openTasks({ source: 'files', tasks: [write(...tasks)] });
    const [train, validation, test] = [splits.train, splits.validation, splits.test].map(solutionsOf);
    for (const [split, fewest] of [
      [train, 100],
      [validation, 5],
      [test, 5],
    ] as const)
      expect(split!.size).toBeGreaterThan(fewest);
    expect(train!.size + validation!.size + test!.size).toBe(200);
  });

  it('are trained on where other tasks are for test', () => {
    const files = {
      tasks: [write(...numbers.map(adding))],
      test: [write(...numbers.slice(0, 9).map(adding))],
    };
    const { train, validation, test } = openTasks({ source: 'files', ...files });
    expect(train.length + validation.length).toBe(191);
    expect(train.length).toBeGreaterThan(100);
    expect(test.length).toBe(9);
  });

  it('are together where their group is the same', () => {
    const tasks = numbers.map((n) => ({ ...adding(n), group: n % 2 === 0 ? 'even' : `odd ${n}` }));
    const splits = openTasks({ source: 'files', tasks: [write(...tasks)] });
    const evens = [splits.train, splits.validation, splits.test].map(
      (split) => split.filter(({ task }) => task.group === 'even').length,
    );
    expect(evens.sort((one, other) => one - other)).toEqual([0, 0, 100]);
  });
});

describe('the tasks that ship', () => {
  it('are in splits without a common function', () => {
    const splits = openTasks({ source: 'shipped', sets: taskSets });
    const [train, validation, test] = [splits.train, splits.validation, splits.test].map(
      (tasks) => new Set(tasks.map(({ task }) => task.entry)),
    );
    expect(train!.size + validation!.size + test!.size).toBe(
      new Set([...train!, ...validation!, ...test!]).size,
    );
    for (const split of [train, validation, test]) expect(split!.size).toBeGreaterThan(1);
  });

  it('have names of their own', () => {
    const { train, validation, test } = openTasks({ source: 'shipped', sets: taskSets });
    const names = [...train, ...validation, ...test].map(({ task }) => task.name);
    expect(new Set(names).size).toBe(names.length);
  });
});
