import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateSeedRanges } from '@espalier/random';
import { afterAll, describe, expect, it } from 'vitest';
import { readRecords } from './json-elements.js';
import { openOnce } from './open-once.js';
import { splitTasks, taskOfSeed } from './task-splits.js';

const folder = mkdtempSync(join(tmpdir(), 'records-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (content: string): string => {
  const path = join(folder, 'records.json');
  writeFileSync(path, content);
  return path;
};
const read = (content: string): [unknown, string][] =>
  [...readRecords(write(content))].map(({ value, place }) => [value, place]);

describe('records of a file', () => {
  it.each([
    ['lines', '{"a":1}\n{"a":2}\n'],
    ['lines with a mark, blank ones, and those of Windows', '\ufeff{"a":1}\r\n\r\n  \n{"a":2}'],
    ['an array', ' [\n{"a":1},\n{"a":2}]\n'],
  ])('are %s', (_name, content) => {
    expect(read(content).map(([value]) => value)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('have the place of their line, also where a character lies on the border of two reads', () => {
    const long = 'é'.repeat(2 ** 19);
    expect(read(`{"a":"${long}"}\n\n{"a":"x${long}"}\n7`)).toEqual([
      [{ a: long }, 'line 1'],
      [{ a: `x${long}` }, 'line 3'],
      [7, 'line 4'],
    ]);
    expect(read('')).toEqual([]);
  });

  it('are an error with file, line and remedy where they are broken', () => {
    expect(() => read('{"a":1}\n{"a":\n')).toThrow(
      expect.objectContaining({
        code: 'plugin.failed',
        message: `read ${join(folder, 'records.json')}, line 2: is not JSON; expected one record per line, or a JSON array of records`,
      }),
    );
    expect(() => read(`"${'x'.repeat(17 * 2 ** 20)}"`)).toThrow(/line 1: is longer than/);
    expect(() => [...readRecords(join(folder, 'missing.jsonl'))]).toThrow(
      /opening it: ENOENT; give the path/,
    );
  });
});

describe('splits of tasks', () => {
  const tasks = Array.from({ length: 3000 }, (_, place) => ({ group: `Group ${place % 1000}`, place }));
  const groups = (list: readonly { group: string }[]): Set<string> => new Set(list.map(({ group }) => group));

  it('share no group, and have every task once', () => {
    const { train, validation, test } = splitTasks(tasks, ({ group }) => group);
    expect(train.length + validation.length + test.length).toBe(3000);
    expect(groups([...train, ...validation, ...test]).size).toBe(
      groups(train).size + groups(validation).size + groups(test).size,
    );
    expect(groups(validation).size).toBeGreaterThan(70);
    expect(groups(test).size).toBeGreaterThan(70);
  });

  it('keep a group where it is when others come', () => {
    const few = groups(splitTasks(tasks.slice(0, 300), ({ group }) => group).test);
    const all = groups(splitTasks(tasks, ({ group }) => group).test);
    expect([...few].filter((group) => !all.has(group))).toEqual([]);
    expect(few.size).toBeGreaterThan(10);
  });

  it('take what is given for test from the others, whatever its case and spaces', () => {
    const test = [{ group: ' group  5 ', place: -1 }];
    const splits = splitTasks(tasks, ({ group }) => group, test);
    expect(splits.test).toEqual(test);
    expect(splits.train.length + splits.validation.length).toBe(2997);
  });

  it('give each task once to consecutive seeds, and no seed of an empty split', () => {
    const splits = splitTasks(tasks, ({ group }) => group);
    for (const split of ['train', 'validation', 'test'] as const) {
      const { first } = stateSeedRanges[split];
      const given = splits[split].map((_, place) => taskOfSeed(splits, first + place));
      expect(new Set(given)).toEqual(new Set(splits[split]));
      expect(taskOfSeed(splits, first + given.length)).toBe(given[0]);
    }
    const none = { train: [], validation: [], test: [] };
    expect(() => taskOfSeed(none, stateSeedRanges.test.first)).toThrow(/split test; give more tasks/);
  });
});

describe('openOnce', () => {
  const filesOf = ({ file }: { readonly file: string }) => [file];

  it('opens again when a file has changed, and the one that was let go', () => {
    const open = openOnce(
      ({ file }: { readonly file: string }) => ({ text: [...readRecords(file)].length }),
      filesOf,
      1,
    );
    const first = open({ file: write('{"a":1}\n') });
    expect(open({ file: join(folder, 'records.json') })).toBe(first);
    expect(open({ file: write('{"a":1}\n{"a":2}\n') })).toEqual({ text: 2 });
    const other = join(folder, 'other.json');
    writeFileSync(other, '{}\n');
    const second = open({ file: join(folder, 'records.json') });
    open({ file: other });
    expect(open({ file: join(folder, 'records.json') })).not.toBe(second);
  });

  it('keeps nothing of an error', () => {
    const file = join(folder, 'absent.json');
    const open = openOnce((source: { readonly file: string }) => [...readRecords(source.file)], filesOf, 1);
    expect(() => open({ file })).toThrow('absent.json');
    expect(() => open({ file })).toThrow('absent.json');
  });
});
