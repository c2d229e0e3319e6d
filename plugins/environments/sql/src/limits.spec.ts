import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import { afterAll, describe, expect, it } from 'vitest';
import sql from './index.js';
import { readTokens } from './tokens.js';

const folder = mkdtempSync(join(tmpdir(), 'sql-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = async (given: Record<string, unknown> = {}): Promise<EnvironmentInstance> => {
  const instance = sql.create(sql.params.parse(given));
  await instance.reset({ state: 1, noise: 0 });
  return instance;
};
const say = (instance: EnvironmentInstance, statement: string): string =>
  (instance.step(statement) as StepResult).observation.text.split('\n').slice(1).join('\n');

const forever = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
const joined = `SELECT count(*) FROM ${'abcdefghij'
  .split('')
  .map((name) => `items ${name}`)
  .join(', ')}`;

describe('a statement', () => {
  it.each([
    ['that never ends', forever],
    ['that joins everything with everything', joined],
    ['that changes rows for ever', forever.replace('SELECT count(*)', 'INSERT INTO items SELECT x, x, x')],
  ])('%s is ended by its number of instructions', async (_name, statement) => {
    const instance = await open({ instructions: 20_000 });
    const count = say(instance, 'SELECT count(*) FROM items');
    expect(say(instance, statement)).toBe('Error: ended after 20000 instructions; ask for less');
    expect(say(instance, 'SELECT count(*) FROM items')).toBe(count);
  });

  it('may take as many instructions as are given, and no net of time cuts it short', async () => {
    const bounded = forever.replace('FROM c)', 'FROM c WHERE x < 400000)');
    expect(say(await open(), bounded)).toContain('ended after 1000000 instructions');
    expect(say(await open({ instructions: 20_000_000 }), bounded)).toContain('[400000]');
  });

  it.each([
    ["ATTACH '{0}' AS other", 'other databases are not allowed'],
    ["VACUUM INTO '{0}'", 'other databases are not allowed'],
    ['VACUUM', 'other databases are not allowed'],
    ['DETACH main', 'other databases are not allowed'],
    ['PRAGMA max_page_count = 1000000', 'PRAGMA is not allowed'],
    ['PRAGMA writable_schema = 1', 'PRAGMA is not allowed'],
    ["SELECT * FROM pragma_table_info('items')", 'the table pragma_table_info is not allowed'],
    ['SELECT * FROM sqlite_dbpage', 'the table sqlite_dbpage is not allowed'],
    ["UPDATE sqlite_master SET sql = 'x'", 'table sqlite_master may not be modified'],
    ["SELECT load_extension('{0}')", 'load_extension'],
    ["SELECT writefile('{0}', 'x')", 'no such function: writefile'],
    ['CREATE TEMP TABLE t (a)', 'temporary tables'],
    ['CREATE VIRTUAL TABLE t USING fts5(a)', 'virtual tables are not allowed'],
    ['CREATE TRIGGER t AFTER INSERT ON items BEGIN SELECT 1; END', 'triggers are not allowed'],
    ['BEGIN', 'a transaction of its own'],
    ['SAVEPOINT a', 'a transaction of its own'],
    ['ANALYZE', 'not allowed'],
    ['SELECT random()', 'the function random is not allowed'],
    ['SELECT 1; DROP TABLE items', 'one statement at a time'],
    ['SELECT 1;;SELECT 2', 'one statement at a time'],
    ['', 'there is no statement'],
    ['-- nothing', 'there is no statement'],
    ['SELECT 1\0', 'NUL'],
    [`SELECT '${'x'.repeat(10_000)}'`, 'at most 10000 characters'],
    ['SELECT zeroblob(20000)', 'too big'],
    [`SELECT 1${' + 1'.repeat(200)}`, 'depth'],
  ])('%s is refused', async (statement, finding) => {
    const instance = await open();
    const path = join(folder, 'other.db');
    const before = say(instance, 'SELECT count(*) FROM items');
    expect(say(instance, statement.replace('{0}', path))).toMatch(/^Error: /);
    expect(say(instance, statement.replace('{0}', path))).toContain(finding);
    expect(say(instance, 'SELECT count(*) FROM items')).toBe(before);
    expect(existsSync(path)).toBe(false);
  });

  it('may end with a semicolon and a comment', async () => {
    expect(say(await open(), 'SELECT 1 AS a ; -- done')).toContain('[1]');
  });

  it('cannot fill the disk that there is not, nor memory', async () => {
    const instance = await open({ instructions: 100_000_000 });
    const fill = forever.replace(
      'SELECT count(*) FROM c',
      'INSERT INTO items SELECT zeroblob(8000), 1, x FROM c',
    );
    expect(say(instance, fill)).toBe('Error: database or disk is full');
    const sort = forever.replace(
      'SELECT count(*) FROM c',
      'SELECT zeroblob(8000) AS z FROM c ORDER BY x DESC',
    );
    expect(say(instance, sort)).toMatch(/^Error: (?:out of memory|database or disk is full)/);
    expect(say(instance, 'SELECT count(*) > 0 FROM items')).toContain('[1]');
    expect(say(await open(), 'SELECT count(*) > 0 FROM items')).toContain('[1]');
  });

  it('of queries within queries is refused before it grows', async () => {
    const instance = await open();
    const deep = Array.from({ length: 15 }, (_, at) => `c${at + 1} AS (SELECT p.x FROM c${at} p, c${at} q)`);
    expect(say(instance, `WITH c0 AS (SELECT 1 x), ${deep.join(', ')} SELECT count(*) FROM c15`)).toBe(
      'Error: too many queries within queries',
    );
    say(instance, 'CREATE VIEW v0 AS SELECT 1 AS x');
    const views = Array.from({ length: 15 }, (_, at) =>
      say(instance, `CREATE VIEW v${at + 1} AS SELECT p.x FROM v${at} p, v${at} q`),
    );
    expect(views.at(0)).toBe('0 rows changed');
    expect(views.at(5)).toMatch(/^Error: /);
    expect(say(instance, 'SELECT * FROM "v5", v4')).toBe('Error: too many queries within queries');
    const twice = 'WITH a AS (SELECT 1 x) SELECT * FROM (WITH a AS (SELECT 2 x) SELECT * FROM a), a';
    expect(say(instance, twice)).toContain('are called a; call one of them otherwise');
    expect(say(instance, 'WITH a AS (SELECT 1 x), b(y) AS (SELECT x FROM a) SELECT * FROM a, b')).toContain(
      '[1,1]',
    );
  });

  it.each([
    ['of signs', (at: number) => String.fromCodePoint(0x1f600 + at)],
    ['with a mark of byte order before them', (at: number) => (at % 2 === 0 ? `c${at}` : `\ufeffc${at}`)],
    ['with a half of a pair', (at: number, use: string) => `"c${at}${use === '' ? '\ud800' : '\ud801'}"`],
    ['in other quotes', (at: number, use: string) => (use === '' ? `"c""${at}"` : `[c"${at}]`)],
    ['with spaces that are none to SQLite', (at: number) => `c\u00a0${at}`],
  ])('cannot hide queries within queries by names %s', async (_name, nameOf) => {
    const instance = await open();
    const deep = (levels: number, extra = ''): string => {
      const parts = Array.from({ length: levels }, (_, place) => {
        const at = place + 1;
        return `${nameOf(at, '')} AS (SELECT p.x FROM ${nameOf(place, 'p')} p, ${nameOf(place, 'q')} q)`;
      });
      return `WITH ${nameOf(0, '')} AS (SELECT 1 x), ${parts.join(', ')} SELECT count(*)${extra} FROM ${nameOf(levels, 'p')}`;
    };
    expect(say(instance, deep(3))).toContain('[1]');
    expect(say(instance, deep(12))).toBe('Error: too many queries within queries');
    for (const extra of [' AS "("', ', $a("), $b(")', ` AS [)]`])
      expect(say(instance, deep(12, extra))).toBe('Error: too many queries within queries');
    expect(say(instance, `${deep(12, '')} WINDOW w AS (ORDER BY 1)`)).toBe(
      'Error: too many queries within queries',
    );
  });

  it('of queries in the definition of a window is refused as well', async () => {
    const deep = Array.from({ length: 12 }, (_, at) => `c${at + 1} AS (SELECT p.x FROM c${at} p, c${at} q)`);
    const start = `WITH c0 AS (SELECT 1 x), ${deep.join(', ')}`;
    expect(say(await open(), `${start} SELECT 1 WINDOW w AS (ORDER BY (SELECT 1 FROM c12))`)).toBe(
      'Error: too many queries within queries',
    );
  });

  it('is split once, whatever is left open', async () => {
    expect(readTokens('['.repeat(10_000))).toHaveLength(1);
    for (const quote of ['[', '"', '`', "'"]) expect(readTokens(`SELECT ${quote}a b c d`)).toHaveLength(2);
    for (const start of ['WITH a AS(', 'a AS('])
      expect(say(await open(), `WITH a AS(${start.repeat(900)}`)).toMatch(/^Error: /);
    const tables = (count: number): string =>
      Array.from({ length: count }, (_, at) => `a${at} AS (SELECT 1 x)`).join(', ');
    expect(say(await open(), `WITH ${tables(64)} SELECT * FROM a0`)).toContain('[1]');
    expect(say(await open(), `WITH ${tables(65)} SELECT * FROM a0`)).toBe(
      'Error: too many queries within queries',
    );
  });

  it('shows as many rows and characters as there is room for', async () => {
    const instance = await open({ rows: 3, characters: 100 });
    const all = forever.replace('SELECT count(*)', 'SELECT x');
    expect(say(instance, all)).toBe(
      'columns ["x"]\n[1]\n[2]\n[3]\nmore rows, or longer ones, than are shown',
    );
    const long = say(instance, "SELECT printf('%.*c', 9000, 'x') AS a");
    expect(long.length).toBeLessThan(200);
    expect(long).toContain('more rows, or longer ones, than are shown');
    expect(say(instance, `SELECT ${'no'.repeat(2000)}`).length).toBeLessThan(320);
  });

  it('has the same time and no chance on every day', async () => {
    expect(say(await open(), "SELECT date('now'), current_timestamp")).toContain(
      '["2025-01-01","2025-01-01 00:00:00"]',
    );
  });
});
