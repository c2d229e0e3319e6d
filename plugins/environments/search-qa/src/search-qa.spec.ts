import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvironmentInstance, type StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { buildCorpus } from './corpus.js';
import searchQa from './index.js';
import { openLibrary, readLibrary } from './library.js';
import { parseAction } from './reader.js';
import { makeWorld } from './world.js';

const folder = mkdtempSync(join(tmpdir(), 'search-qa-'));
afterAll(() => rmSync(folder, { recursive: true }));

let number = 0;
const write = (...rows: unknown[]): string => {
  const path = join(folder, `${++number}.jsonl`);
  writeFileSync(path, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
  return path;
};

const documents = write(
  { id: 'd1', title: 'The Silver Gate', text: 'A novel by Mara Lind.' },
  { id: 'd2', title: 'Mara Lind', text: 'Mara Lind was born in Torburg.' },
  { id: 'd3', title: 'Torburg', text: `A town. ${'It has a wall. '.repeat(40)}` },
  { id: 4, title: 'Town', text: 'Another town with a wall and a gate.' },
);
const asked = {
  question: 'Where was the author of The Silver Gate born?',
  answers: ['Torburg', 'the town of Torburg'],
  supporting: ['d1', 'd2'],
};
const questions = write(asked);
const files = { source: 'files', documents: [documents], questions: [questions], test: [questions] };
const twenty = write(
  ...Array.from({ length: 20 }, (_, place) => ({ ...asked, question: `${asked.question} ${place}` })),
);

testEnvironment(searchQa, { oracleSolves: 1 });
testEnvironment(searchQa, { params: { results: 1, excerpt: 40, partialCredit: 1 }, oracleSolves: 1 });
testEnvironment(searchQa, {
  params: { library: { ...files, questions: [twenty], test: undefined } },
  oracleSolves: 1,
});

const visit = (given: Record<string, unknown> = {}): EnvironmentInstance => {
  const instance = searchQa.create(
    searchQa.params.parse({ library: files, results: 2, excerpt: 50, ...given }),
  );
  void instance.reset({ state: 2_000_000, noise: 0 });
  return instance;
};
const act = (instance: EnvironmentInstance, ...actions: string[]): StepResult =>
  actions.map((action) => instance.step(action) as StepResult).at(-1)!;
const page = ({ observation }: StepResult): string[] => observation.text.split('\n').slice(1);

describe('a search', () => {
  it('lists documents, turns pages, opens one and ends with an answer', () => {
    const instance = visit();
    expect(page(act(instance, 'search[wall town]'))).toEqual([
      '[1] Town: Another town with a wall and a gate.',
      '[2] Torburg: A town. It has a wall. It has a wall. It has a wa…',
      'Page 1 of 1',
    ]);
    const [title, text] = page(act(instance, 'Open[2] please'));
    expect([title, text?.length]).toEqual(['Torburg', 608]);
    expect(page(act(instance, 'search[the silver gate]'))[0]).toContain('[1] The Silver Gate');
    expect(act(instance, 'next')).toMatchObject({ valid: false, effective: false });
    expect(page(act(instance, 'search[gate lind town]'))).toContain('Page 1 of 2');
    expect(act(instance, 'next')).toMatchObject({ valid: true, effective: true, reward: 0, done: false });
    expect(page(act(instance, 'search[xyzzy]'))).toEqual(['No document has these words.']);
    const done = act(instance, 'answer[old town of Torburg]');
    expect(done).toMatchObject({ done: true, success: false, metrics: { exact_match: 0, support_found: 1 } });
    // words: old town of torburg, town of torburg
    expect(done.reward).toBeCloseTo(6 / 7, 12);
    expect(act(instance, 'finish[Torburg]')).toMatchObject({ reward: 0, done: true, valid: false });
  });

  it('has the reward 1 for an exact match, and none for what is no action', () => {
    expect(act(visit(), 'finish[ the TORBURG. ]')).toMatchObject({ reward: 1, success: true });
    for (const action of [
      '',
      'search',
      'search[]',
      'open[1]',
      'open[x]',
      'next',
      '[x]',
      'click[x]',
      'finish torburg',
      'finish',
      'answer',
      '__proto__[x]',
    ])
      expect(act(visit(), action), action).toMatchObject({ valid: false, effective: false, done: false });
    for (const action of ['next[1]', 'next page', 'next[]'])
      expect(act(visit(), 'search[gate lind town]', action), action).toMatchObject({ valid: false });
    expect(act(visit(), 'search[gate lind town]', ' Next ')).toMatchObject({ valid: true });
    expect(parseAction(' Search [a [b] c] d')).toEqual({ name: 'search', argument: 'a [b] c' });
  });

  it('goes on from any page by its oracle, which names only what was read', () => {
    const instance = visit();
    expect(instance.oracle!()).toEqual(['search[The Silver Gate]', 'search[Mara Lind]', 'finish[Torburg]']);
    act(instance, 'search[silver gate]');
    expect(instance.oracle!().at(-1)).toBe('finish[Torburg]');
    expect(act(instance, ...instance.oracle!())).toMatchObject({ reward: 1, success: true });
    expect(instance.oracle!()).toEqual([]);
  });

  it('is turned by its oracle to the page that lists a document, and left out where none does', () => {
    const alike = (count: number): EnvironmentInstance => {
      const rows = Array.from({ length: count }, (_, place) => ({
        id: `d${place}`,
        title: 'The Gate',
        text: 'A novel.',
      }));
      const question = write({ question: 'Who?', answer: 'Lind', supporting: [`d${count - 1}`] });
      const library = { ...files, documents: [write(...rows)], questions: [question], test: [question] };
      return visit({ library });
    };
    const six = alike(6);
    expect(six.oracle!()).toEqual(['search[The Gate]', 'next', 'next', 'finish[Lind]']);
    act(six, 'search[The Gate]', 'next');
    expect(six.oracle!()).toEqual(['next', 'finish[Lind]']);
    expect(six.explain!(six.oracle!())).toBe('I turn the page.');
    expect(act(six, ...six.oracle!())).toMatchObject({ success: true, metrics: { support_found: 1 } });
    expect(alike(60).oracle!()).toEqual(['finish[Lind]']);
  });

  it('pays no constant, no echo and no list of words', () => {
    const list = (): string => 'finish[writer engineer painter teacher physician]';
    const panel = [
      () => 'finish[yes]',
      () => 'finish[the town]',
      () => 'finish[yes no]',
      list,
      (text: string) => `finish[${text}]`,
    ];
    const instance = searchQa.create(searchQa.params.parse({}));
    for (const policy of panel) {
      let paid = 0;
      for (let seed = 0; seed < 300; seed++) {
        const { text } = instance.reset({ state: seed, noise: 0 }) as { text: string };
        paid += act(instance, policy(text)).reward;
      }
      // a question in six is answered by yes or no, half of them by yes
      expect(paid / 300).toBeLessThan(policy === list ? 0.02 : 0.12);
    }
  });
});

describe('the generated library', () => {
  it('has documents that lead to every answer, hop by hop', () => {
    const { documents: made, questions: asks } = makeWorld(3, 400);
    const byTitle = new Map(made.map((one) => [one.title, one]));
    expect(byTitle.size).toBe(made.length);
    expect(new Set(asks.map(({ question }) => question)).size).toBe(asks.length);
    for (const { question, answers, supporting } of asks) {
      const texts = supporting.map((title) => byTitle.get(title)!.text);
      // each document is named by the question or by one before it
      for (const [place, title] of supporting.entries())
        expect(
          [question, ...texts.slice(0, place)].some((text) => text.includes(title)),
          question,
        ).toBe(true);
      if (!/^(yes|no)$/.test(answers[0]!)) expect(texts.at(-1), question).toContain(answers[0]);
    }
    expect([1, 2, 3].map((hops) => asks.some(({ supporting }) => supporting.length === hops))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('is found by the names that its oracle searches for', () => {
    const { corpus, tasks } = openLibrary({ source: 'generated', seed: 0, documents: 500 });
    const missed = tasks.train.flatMap(({ supporting }) =>
      supporting.filter((title) => !corpus.index.search(title, 3).includes(corpus.numbers.get(title)!)),
    );
    expect(missed.length / tasks.train.length).toBeLessThan(0.02);
  });

  it('has splits without a common question', () => {
    const { tasks } = openLibrary({ source: 'generated', seed: 0, documents: 500 });
    const all = [...tasks.train, ...tasks.validation, ...tasks.test].map(({ question }) => question);
    expect(new Set(all).size).toBe(all.length);
    expect(tasks.test.length).toBeGreaterThan(50);
    expect(tasks.validation.length).toBeGreaterThan(50);
  });
});

describe('files', () => {
  const open = (rows: unknown[], asks: unknown[] = [{ question: 'Q?', answer: 'A' }]): unknown =>
    readLibrary({ source: 'files', documents: [write(...rows)], questions: [write(...asks)] });
  const good = { id: 'd1', title: 'T', text: 'x' };

  it.each([
    ['a text that is missing', [good, { id: 'd2' }], undefined, /line 2: text: .*expected string/],
    ['an id that is missing', [{ text: 'x' }], undefined, /line 1: id: /],
    ['an id twice', [good, '', good], undefined, /line 3: the id "d1" is that of an earlier document; give/],
    ['a broken line', [good, '{'], undefined, /line 2: is not JSON; expected one record per line/],
    ['a line that is no object', [7], undefined, /line 1: .*expected object/],
    ['no document', [], undefined, /has no document; expected lines with id/],
    ['no question', [good], [], /has no question; expected lines/],
    ['a question without an answer', [good], [{ question: 'Q?' }], /line 1: answers: expected at least one/],
    ['an empty list of answers', [good], [{ question: 'Q?', answers: [] }], /line 1: answers: /],
    [
      'an unknown document',
      [good],
      [{ question: 'Q?', answer: 'A', supporting: ['nowhere'] }],
      /line 1: supporting: no document has the id "nowhere"; add it/,
    ],
  ])('with %s are an error with its line', (_name, rows, asks, message) => {
    expect(() => open(rows, asks)).toThrow(
      expect.objectContaining({ code: 'plugin.failed', message: expect.stringMatching(message) as string }),
    );
  });

  it('are read once for all instances of a process, and again when they have changed', () => {
    const source = { ...files, source: 'files' } as const;
    expect(openLibrary(source)).toBe(openLibrary({ ...source }));
    const first = openLibrary(source);
    writeFileSync(questions, `${JSON.stringify(asked)}\n\n`);
    expect(openLibrary(source)).not.toBe(first);
  });

  it('of 5,000 documents report their progress and are held as bytes', () => {
    const text = 'words that say nothing in particular, again and again. '.repeat(10);
    const lines: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1500));
    try {
      const { corpus } = readLibrary({
        source: 'files',
        documents: [write(...Array.from({ length: 5000 }, (_, id) => ({ id, title: `Title ${id}`, text })))],
        questions: [questions].map(() => write({ question: 'Q?', answer: 'A', supporting: [4999] })),
      });
      expect(corpus.size).toBe(5000);
      expect(corpus.document(1234)).toEqual({ id: '1234', title: 'Title 1234', text });
      expect(corpus.index.search('1234', 5)).toEqual([1234]);
    } finally {
      clock.mockRestore();
      spy.mockRestore();
    }
    expect(lines[0]).toMatch(/^search-qa: [\d,]+ documents read\n$/);
    expect(lines.length).toBeGreaterThan(1);
  });

  it('may have long and strange texts', () => {
    const texts = ['💥'.repeat(3e6), '', 'é'.repeat(1e5), 'plain'];
    const corpus = buildCorpus(texts.map((text, place) => ({ id: String(place), title: '', text })));
    for (const [place, text] of texts.entries()) expect(corpus.document(place).text === text).toBe(true);
  });
});
