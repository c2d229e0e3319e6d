import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { isRightAnswer } from './answer.js';
import { Connection } from './connection.js';
import { loadEngine } from './engine.js';
import sql from './index.js';
import { isOrdered } from './tokens.js';

const folder = mkdtempSync(join(tmpdir(), 'sql-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const chinook = gunzipSync(readFileSync(new URL('../data/chinook.sqlite.gz', import.meta.url)));
let number = 0;
const save = (content: string | Uint8Array): string => {
  const path = join(folder, `${++number}`);
  writeFileSync(path, content);
  return path;
};
const write = (...rows: unknown[]): string => save(rows.map((row) => JSON.stringify(row)).join('\n'));

const table = {
  name: 't',
  columns: [
    ['a', 'INTEGER'],
    ['b c', 'TEXT'],
  ],
  rows: [
    [1, 'x'],
    [2, null],
    [3, "o'k"],
  ],
};
const count = { name: 'count', question: 'How many rows?', query: 'SELECT count(*) FROM t', table };
const many = Array.from({ length: 40 }, (_, at) => ({ ...count, question: `How many rows? ${at}` }));
const path = save(chinook);
const genres = Array.from({ length: 20 }, (_, at) => ({
  question: `What is genre ${at + 1}?`,
  query: `SELECT Name FROM Genre WHERE GenreId = ${at + 1}`,
}));

testEnvironment(sql, { params: { database: { source: 'files', tasks: [write(...many)] } }, oracleSolves: 1 });
testEnvironment(sql, {
  params: { database: { source: 'files', database: path, tasks: [write(...genres)] } },
  oracleSolves: 1,
});

const reset = async (database: Record<string, unknown>): Promise<unknown> => {
  const instance = sql.create(sql.params.parse({ database: { source: 'files', ...database } }));
  try {
    await instance.reset({ state: 0, noise: 0 });
    return 'fine';
  } catch (error) {
    return (error as Error).message;
  }
};
const load = (task: unknown): Promise<unknown> => reset({ tasks: [write(task)] });

describe('a task of a file', () => {
  it.each([
    ['whose reference fails', { query: 'SELECT missing FROM t' }, /its reference fails: no such column/],
    ['whose reference is no query', { query: 'DELETE FROM t' }, /has no result; expected a SELECT/],
    ['whose result is empty', { query: 'SELECT a FROM t WHERE a > 9' }, /result of its reference is empty/],
    [
      'whose result has more rows than are shown',
      { query: 'SELECT x.a FROM t x, t y, t z' },
      /is more than is shown; raise `rows`/,
    ],
    [
      'whose result is longer than what is shown',
      { query: "SELECT printf('%.*c', 3000, 'x')" },
      /is more than is shown/,
    ],
    [
      'that changes nothing',
      { query: undefined, change: 'UPDATE t SET a = a' },
      /its reference changes nothing/,
    ],
    [
      'whose reference attaches a file',
      { query: undefined, change: "ATTACH 'x' AS y" },
      /its reference fails: other/,
    ],
    [
      'whose reference takes too long',
      {
        query:
          'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000) SELECT count(*) FROM c',
      },
      /its reference takes \d+ instructions; raise `instructions`/,
    ],
    ['with query and change', { change: 'DELETE FROM t' }, /expected `query` or `change`, .* or `answer`/],
    ['without any of them', { query: undefined }, /expected `query` or `change`, .* or `answer`/],
    ['whose result is not its answer', { answer: [4] }, /result of its reference is not its answer/],
    ['whose answer is empty', { query: undefined, answer: [] }, /its answer is empty/],
    ['without a table', { table: undefined }, /has no `table`; add one, or give `database`/],
    ['whose rows are short', { table: { ...table, rows: [[1]] } }, /row 1 of its table has not 2 values/],
    ['without a question', { question: '' }, /question: /],
    [
      'with a text that is too long',
      { table: { ...table, rows: [[1, 'x'.repeat(20_000)]] } },
      /: table t has a text or BLOB of more than 16 kB, which no statement may read; leave it out$/,
    ],
  ])('%s is refused by its name', async (_name, change, finding) => {
    const message = await load({ ...count, ...change });
    expect(message).toMatch(finding);
    expect(message).toMatch(/^read .*, line 1: /);
  });

  it('is named in the error', async () => {
    expect(await load({ ...count, query: 'SELECT 1 FROM nowhere' })).toContain('task "count": its reference');
  });

  it('may have an answer alone, which its oracle gives after a look at the table', async () => {
    const asked = many.map(({ query: _query, ...task }) => ({ ...task, answer: [[1, 'x']] }));
    const instance = sql.create(
      sql.params.parse({ database: { source: 'files', tasks: [write(...asked)] } }),
    );
    await instance.reset({ state: 0, noise: 0 });
    expect(instance.oracle!()).toEqual(['SELECT * FROM t', 'answer[[[1,"x"]]]']);
    await instance.step('SELECT * FROM t');
    expect(instance.oracle!()).toEqual(['answer[[[1,"x"]]]']);
    expect(await instance.step('answer[[1, "x"]]')).toMatchObject({ reward: 1, done: true });
  });

  const row = {
    description: 'Who?',
    type: ['other'],
    label: ['x'],
    sql: { query: 'SELECT `b c` FROM t WHERE a = 1' },
    table: {
      table_name: 't',
      table_info: {
        columns: [
          { name: 'a', type: 'INT' },
          { name: 'b c', type: 'TEXT' },
        ],
        rows: table.rows,
      },
    },
  };

  it.each(['SELECT Who from t', 'SELECT `b c` FROM t WHERE a = 3', undefined])(
    'of DBBench is judged by its label where its reference is %s',
    async (query) => {
      const rows = Array.from({ length: 40 }, (_, at) => ({
        ...row,
        description: `Who ${at}?`,
        ...(query === undefined ? { sql: undefined } : { sql: { query } }),
      }));
      const instance = sql.create(
        sql.params.parse({ database: { source: 'files', tasks: [write(...rows)] } }),
      );
      await instance.reset({ state: 0, noise: 0 });
      expect(instance.facts!()).toMatchObject({ reference: [], answer: [['x']] });
      expect(await instance.step('answer[x]')).toMatchObject({ reward: 1 });
    },
  );

  it('of DBBench that changes nothing, or cannot be read, is left out', async () => {
    const change = (at: number, label: string) => ({
      ...row,
      description: `Change ${at}.`,
      type: ['UPDATE'],
      label: [label],
    });
    const [good, bad] = ['UPDATE t SET a = 7 WHERE a = 1', 'UPDATE t SET a = a'];
    const rows = Array.from({ length: 40 }, (_, at) =>
      change(at, at % 2 === 0 ? good! : [bad!, 'SET a'][(at % 4) >> 1]!),
    );
    const instance = sql.create(sql.params.parse({ database: { source: 'files', tasks: [write(...rows)] } }));
    const seen = new Set<unknown>();
    for (let state = 0; state < 100; state += 1) {
      await instance.reset({ state, noise: 0 });
      seen.add(instance.facts!()['question']);
      expect(instance.facts!()['reference']).toEqual([good]);
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(await load(change(0, bad!))).toMatch(/has no task/);
  });

  it('may be a row of DBBench', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({ ...row, description: `Who ${at}?` }));
    expect(await reset({ tasks: [write(...rows)] })).toBe('fine');
    const changes = rows.map((one) => ({
      ...one,
      type: ['UPDATE'],
      label: ['UPDATE t SET a = 7 WHERE a = 1'],
    }));
    expect(await reset({ tasks: [write(...changes)] })).toBe('fine');
  });
});

describe('a database file', () => {
  const tasks = [write(...genres)];

  it.each([
    ['that is missing', join(folder, 'nowhere.db'), /there is no such file; give the path/],
    ['that is a folder', folder, /there is no such file/],
    ['that is a text', save('id,name\n1,x\n'), /is not an SQLite database/],
    ['that is empty', save(''), /is not an SQLite database/],
    ['with nothing but a header', save(chinook.subarray(0, 100)), /cannot be read|is damaged/],
  ])('%s is refused by its name', async (_name, database, finding) => {
    const message = await reset({ database, tasks });
    expect(message).toMatch(finding);
    expect(message).toContain(`read ${database}, opening it`);
  });

  it('that is damaged is refused: the check tells it as rows, not as an error', async () => {
    const damaged = Buffer.from(chinook);
    // pages of the middle, so that header and schema are whole
    damaged.fill(0xab, 400 * 1024, 420 * 1024);
    const database = save(damaged);
    const message = await reset({ database, tasks });
    expect(message).toMatch(/is damaged: .*; restore it from a copy/);
    expect(message).toContain(database);
  });

  const long = 'x'.repeat(20_000);
  const wide = Array.from({ length: 201 }, (_, at) => `c${at}`);
  const saveDatabase = async (script: string): Promise<string> => {
    const connection = new Connection(await loadEngine());
    try {
      connection.script(script);
      return save(connection.bytes());
    } finally {
      connection.close();
    }
  };

  it.each([
    [
      'a text',
      `a (x); CREATE TABLE b (x); INSERT INTO b VALUES ('${long}')`,
      /: table b has a text .* than 16 kB/,
    ],
    [
      'a BLOB',
      'a (x); INSERT INTO a VALUES (zeroblob(20000))',
      /: table a has a text or BLOB of more than 16 kB/,
    ],
    ['a table', `"w d" (${wide.join(', ')})`, /: table "w d" has more than 200 columns/],
  ])('with %s beyond what a statement may read is not called damaged', async (_name, script, finding) => {
    const database = await saveDatabase(`CREATE TABLE ${script}`);
    const message = await reset({ database, tasks });
    expect(message).toMatch(finding);
    expect(message).toMatch(/, which no statement may read; leave it out$/);
    expect(message).toContain(`read ${database}, opening it`);
  });

  it('may have rows of more than 16 kB whose texts are shorter', async () => {
    const half = long.slice(10_000);
    const database = await saveDatabase(`CREATE TABLE a (x, y); INSERT INTO a VALUES ('${half}', '${half}')`);
    const ask = many.map(({ question }) => ({ question, query: 'SELECT count(*) FROM a' }));
    expect(await reset({ database, tasks: [write(...ask)] })).toBe('fine');
  });

  it('that is cut off is refused', async () => {
    const database = save(chinook);
    truncateSync(database, 500_000);
    expect(await reset({ database, tasks })).toMatch(/is damaged|cannot be read/);
  });

  it('with changes in a log of its own is refused', async () => {
    const database = save(chinook);
    writeFileSync(`${database}-wal`, 'x');
    expect(await reset({ database, tasks })).toMatch(/has changes in its -wal file/);
  });

  it('is not changed, whatever a player does', async () => {
    const hash = (): string => createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = hash();
    const params = sql.params.parse({ database: { source: 'files', database: path, tasks } });
    const instance = sql.create(params);
    await instance.reset({ state: 0, noise: 0 });
    const { valid } = instance.step('DROP TABLE PlaylistTrack') as StepResult;
    expect(valid).toBe(true);
    expect((instance.step('DELETE FROM InvoiceLine') as StepResult).observation.text).toContain(
      '2240 rows changed',
    );
    await instance.close?.();
    expect(hash()).toBe(before);
  });
});

describe('an answer', () => {
  it.each([
    ['12', [[12]], true],
    ['"12"', [[12]], true],
    ['12.0', [[12]], true],
    ['12', [['12']], true],
    ['13', [[12]], false],
    ['12.33', [[12.333333]], true],
    ['12.3', [[12.333333]], false],
    ['12.334', [[12.333333]], false],
    ['12.3333', [[12.333333]], true],
    ['[12]', [[12]], true],
    ['[1, 2]', [[2], [1]], true],
    ['[1, 2, 2]', [[2], [1]], false],
    ['[1, 1]', [[2], [1]], false],
    ['["a", 1]', [['a', 1]], true],
    [
      '[["a", 1], ["b", null]]',
      [
        ['b', null],
        ['a', 1],
      ],
      true,
    ],
    [
      'a | 1\nb | NULL',
      [
        ['b', null],
        ['a', 1],
      ],
      true,
    ],
    ['a|1', [['a', 1]], true],
    ['a| NULL |1', [['a', null, 1]], true],
    ['a||1', [['a', '', 1]], true],
    ['a|1', [['a|1']], true],
    ['a|1', [['a', 2]], false],
    ['March 19, 1998', [['March 19, 1998']], true],
    ['march 19, 1998', [['March 19, 1998']], false],
    ['null', [[null]], true],
    ['NULL', [[null]], true],
    ['0', [[null]], false],
    ['""', [[null]], false],
    ['null', [[0]], false],
    ['true', [[1]], true],
    ['[{"a": 1}]', [[1]], false],
    ['', [[1]], false],
    ['[[]]', [[1]], false],
  ])('%s for %j is right: %s', (text, rows, isRight) => {
    expect(isRightAnswer(text, rows, false)).toBe(isRight);
  });

  it.each([
    ['[12.33, 12.334]', [12.334, 12.33], true],
    ['[12.33, 12.334]', [12.3341, 12.3287], true],
    ['[12.33, 12.334, 12.33]', [12.3341, 12.3287, 12.3312], true],
    ['[12.33, 12.334, 12.334]', [12.3341, 12.3287, 12.3312], false],
    ['[12.33, 12.33]', [12.334, 12.34], false],
  ])('%s for %j in any order, with one of its own for each, is right: %s', (text, values, isRight) => {
    const rows = values.map((value) => [value]);
    expect(isRightAnswer(text, rows, false)).toBe(isRight);
    expect(isRightAnswer(text, rows.toReversed(), false)).toBe(isRight);
  });

  it('of many rows that are all alike is judged at once', () => {
    const rows = Array.from({ length: 200 }, (_, at) => [12.33 + at / 1e5]);
    expect(isRightAnswer(JSON.stringify(rows.map(() => 12.33)), rows, false)).toBe(true);
    expect(isRightAnswer(JSON.stringify([...rows.slice(1).map(() => 12.33), 9]), rows, false)).toBe(false);
  });

  it('has its rows in order only where that is asked for', () => {
    expect(isRightAnswer('[1, 2]', [[2], [1]], true)).toBe(false);
    expect(isRightAnswer('[2, 1]', [[2], [1]], true)).toBe(true);
    expect(isOrdered('SELECT a FROM t ORDER  BY a')).toBe(true);
    expect(isOrdered('SELECT a FROM (SELECT a FROM t ORDER BY a)')).toBe(false);
    expect(isOrdered(`SELECT 'order by' AS "order by" FROM t -- order by`)).toBe(false);
    expect(isOrdered('SELECT a FROM t GROUP BY a')).toBe(false);
  });
});
