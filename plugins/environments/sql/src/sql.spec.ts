import type { EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import { createStream } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import sql from './index.js';
import { splitOfQuestion } from './source.js';

testEnvironment(sql, { oracleSolves: 1 });
testEnvironment(sql, { params: { kinds: 'change', instructions: 20_000 }, oracleSolves: 1 });
testEnvironment(sql, { params: { database: { source: 'chinook' } }, oracleSolves: 1 });
testEnvironment(sql, { params: { database: { source: 'dbbench' }, kinds: 'query' }, oracleSolves: 1 });

const open = async (seed: number, given: Record<string, unknown> = {}): Promise<EnvironmentInstance> => {
  const instance = sql.create(sql.params.parse(given));
  await instance.reset({ state: seed, noise: 0 });
  return instance;
};
const act = (instance: EnvironmentInstance, ...actions: string[]): StepResult =>
  actions.map((action) => instance.step(action) as StepResult).at(-1)!;
const factsOf = (instance: EnvironmentInstance): Record<string, unknown> => instance.facts!();
const page = ({ observation }: StepResult): string[] => observation.text.split('\n').slice(1);

describe('a session', () => {
  it('shows tables, results and errors, and pays the right answer', async () => {
    const instance = await open(1, { kinds: 'query' });
    const first = await (instance.reset({ state: 1, noise: 0 }) as Promise<{ text: string }>);
    expect(first.text).toContain('customers(id INTEGER, name TEXT, city TEXT, joined TEXT)');
    expect(page(act(instance, 'SELECT 1 AS one, NULL, 0.5'))).toEqual([
      'columns ["one","NULL","0.5"]',
      '[1,null,0.5]',
      '1 row',
    ]);
    expect(act(instance, 'SELEC 1')).toMatchObject({ valid: false, metrics: { failed_statements: 1 } });
    expect(page(act(instance, 'SELECT missing FROM customers'))).toEqual(['Error: no such column: missing']);
    expect(act(instance, ...instance.oracle!())).toMatchObject({ reward: 1, done: true, success: true });
    expect(act(instance, 'SELECT 1')).toMatchObject({ reward: 0, done: true, valid: false });
  });

  it('pays a change only where the whole database is as the reference leaves it', async () => {
    const instance = await open(3, { kinds: 'change' });
    const plan = instance.oracle!();
    expect(act(instance, 'done')).toMatchObject({ reward: 0, done: true, success: false });
    await instance.reset({ state: 3, noise: 0 });
    act(instance, ...plan.slice(0, -1), 'CREATE TABLE left_behind (a)');
    expect(instance.oracle!()).toEqual([]);
    act(instance, 'DROP TABLE left_behind');
    expect(instance.oracle!()).toEqual(['done']);
    expect(act(instance, 'Done.')).toMatchObject({ reward: 1, success: true });
  });

  it.each([
    ['UPDATE items SET quantity = quantity + 1'],
    ['DELETE FROM items'],
    ['INSERT INTO items SELECT * FROM items'],
  ])('notices %s, also where it returns more rows than are shown', async (statement) => {
    const given = { kinds: 'change', rows: 1 };
    const plain = await open(5, given);
    const [changed] = page(act(plain, statement));
    const instance = await open(5, given);
    expect(page(act(instance, `${statement} RETURNING *`)).at(-1)).toBe(changed);
    expect(changed).toMatch(/^\d\d+ rows changed$/);
    expect(factsOf(instance)).toMatchObject({ isChanged: true });
    expect(instance.snapshot!()).toMatchObject({ log: [`${statement} RETURNING *`] });
    expect((instance.snapshot!() as { hash: string }).hash).toBe(
      (plain.snapshot!() as { hash: string }).hash,
    );
    const copy = sql.create(sql.params.parse(given));
    copy.restore!(JSON.parse(JSON.stringify(instance.snapshot!())));
    const look = 'SELECT count(*), sum(quantity) FROM items';
    expect(copy.step(look)).toEqual(act(instance, look));
    expect(page(act(instance, 'CREATE VIEW v AS SELECT 1'))).toEqual(['0 rows changed']);
  });

  it('goes on after tables are dropped, and the next episode has them again', async () => {
    const instance = await open(1);
    const before = instance.render();
    for (const table of ['customers', 'products', 'orders', 'items'])
      expect(act(instance, `DROP TABLE ${table}`)).toMatchObject({ valid: true, effective: true });
    expect(act(instance, 'SELECT * FROM items')).toMatchObject({ valid: false, done: false });
    await instance.reset({ state: 1, noise: 0 });
    expect(instance.render()).toBe(before);
    expect(act(instance, 'SELECT count(*) > 0 FROM items').valid).toBe(true);
    expect(act(instance, 'ALTER TABLE items RENAME TO things').valid).toBe(true);
    await instance.reset({ state: 1, noise: 0 });
    expect(act(instance, ...instance.oracle!()).reward).toBe(1);
  });

  it('is not changed by another that runs at the same time, whoever acts when', async () => {
    const sessions = await Promise.all([0, 1, 2].map((seed) => open(seed, { kinds: 'change' })));
    const [first, second, third] = sessions as [
      EnvironmentInstance,
      EnvironmentInstance,
      EnvironmentInstance,
    ];
    act(first, 'DELETE FROM items');
    act(second, 'DROP TABLE items');
    expect(page(act(first, 'SELECT count(*) FROM items'))[1]).toBe('[0]');
    expect(act(second, 'SELECT * FROM items').valid).toBe(false);
    expect(page(act(third, 'SELECT count(*) > 0 FROM items'))[1]).toBe('[1]');
    expect(act(third, ...third.oracle!()).reward).toBe(1);
    expect(page(act(first, 'SELECT count(*) FROM items'))[1]).toBe('[0]');
  });

  it('is the same after a snapshot, though the database has changed', async () => {
    const instance = await open(5, { kinds: 'change' });
    act(instance, 'DELETE FROM items WHERE quantity > 2', 'SELECT count(*) FROM items');
    const copy = sql.create(sql.params.parse({ kinds: 'change' }));
    copy.restore!(JSON.parse(JSON.stringify(instance.snapshot!())));
    const statement = 'SELECT sum(quantity) FROM items';
    expect(copy.step(statement)).toEqual(act(instance, statement));
    expect(copy.step('done')).toMatchObject({ reward: 0, done: true });
  });

  it('gives the same texts for the same seeds, each time', async () => {
    const play = async (): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (const database of ['generated', 'chinook', 'dbbench'])
        for (let seed = 0; seed < 8; seed += 1) {
          const instance = await open(seed, { database: { source: database } });
          seen.push(instance.render(), ...instance.oracle!().map((action) => act(instance, action)));
        }
      return seen;
    };
    expect(await play()).toEqual(await play());
  });
});

describe('every task that ships', () => {
  it.each(['chinook', 'dbbench'])('of %s is solved by its reference', async (source) => {
    const instance = await open(0, { database: { source } });
    const seen = new Set<unknown>();
    for (const base of [0, 1_000_000, 2_000_000])
      for (let index = 0; index < 30; index += 1) {
        await instance.reset({ state: base + index, noise: 0 });
        seen.add(factsOf(instance)['question']);
        expect(act(instance, ...instance.oracle!()), instance.render()).toMatchObject({ reward: 1 });
      }
    expect(seen.size).toBeGreaterThan(source === 'dbbench' ? 40 : 80);
  });

  it('of dbbench is there but for two, and 40 of the 120 questions have a reference that gives their label', async () => {
    const counts = [57, 3, 298] as const;
    const instance = await open(0, { database: { source: 'dbbench' } });
    const questions: boolean[] = [];
    for (const [split, count] of counts.entries()) {
      const seen = new Set<string>();
      for (let index = 0; index < 300; index += 1) {
        await instance.reset({ state: split * 1_000_000 + index, noise: 0 });
        const { kind, question, tables, reference } = factsOf(instance);
        seen.add(JSON.stringify([question, tables]));
        if (index >= count) continue;
        if (kind === 'query') questions.push((reference as unknown[]).length > 0);
        expect(act(instance, ...instance.oracle!())).toMatchObject({ reward: 1 });
      }
      expect(seen.size).toBe(count);
    }
    expect([questions.length, questions.filter(Boolean).length]).toEqual([120, 40]);
  });

  it('is asked in one split', async () => {
    const splits = new Map<unknown, number>();
    for (const source of ['generated', 'chinook', 'dbbench'])
      for (const base of [0, 1_000_000, 2_000_000]) {
        const instance = await open(base, { database: { source } });
        for (let index = 0; index < 30; index += 1) {
          await instance.reset({ state: base + index, noise: 0 });
          const { question } = factsOf(instance);
          expect(splits.get(question) ?? base, String(question)).toBe(base);
          splits.set(question, base);
        }
      }
    expect(splitOfQuestion('a')).toBe(splitOfQuestion('a'));
  });

  it('pays a constant for a few counts that are 1, and no echo', async () => {
    const one = (): string => 'answer[1]';
    const panel = [
      ['generated', one, 3],
      ['chinook', one, 7],
      ['dbbench', one, 6],
      ['generated', () => 'answer[0]', 0],
      ['generated', () => 'answer[[]]', 0],
      ['generated', () => 'answer[null]', 0],
      ['generated', () => 'done', 0],
      ['generated', (text: string) => `answer[${text}]`, 0],
    ] as const;
    for (const [source, policy, most] of panel) {
      const instance = await open(0, { database: { source } });
      let paid = 0;
      for (let seed = 0; seed < 100; seed += 1) {
        await instance.reset({ state: seed, noise: 0 });
        paid += act(instance, policy(instance.render())).reward;
      }
      expect(paid, `${source} ${policy.toString()}`).toBeLessThanOrEqual(most);
    }
  });

  it('of chinook has one longest track in each album that it asks about', async () => {
    const instance = await open(0, { database: { source: 'chinook' } });
    const longest = `SELECT count(*) FROM Track t WHERE Milliseconds = (SELECT max(Milliseconds) FROM Track WHERE AlbumId = t.AlbumId)`;
    expect(page(act(instance, `${longest} GROUP BY AlbumId HAVING count(*) > 1`)).at(-1)).toBe('0 rows');
    expect(page(act(instance, longest))[1]).toBe('[347]');
  });
});

describe('texts', () => {
  it('of any kind do no harm', async () => {
    const stream = createStream(7);
    const parts = [
      'SELECT ',
      'answer[',
      ']',
      '[',
      '*',
      ' FROM ',
      'items',
      '(',
      ')',
      ',',
      "'",
      '"',
      '`',
      '--',
      '/*',
      ';',
      'WITH x AS (',
      'UPDATE ',
      ' SET ',
      'DROP TABLE ',
      'INSERT INTO ',
      ' VALUES ',
      'PRAGMA ',
      'done',
      '||',
      ' ',
      '\n',
      '\0',
      '💥',
      '\ud800',
      '__proto__',
      '1',
      'NULL',
      'x',
      '?',
      ':a',
      '@b',
      '\u202e',
    ];
    const instance = await open(2);
    for (let round = 0; round < 5000; round += 1) {
      const text = Array.from({ length: 1 + stream.int(8) }, () => stream.pick(parts)).join('');
      if (act(instance, text).done) await instance.reset({ state: round, noise: 0 });
    }
    for (const part of parts) {
      await instance.reset({ state: 2, noise: 0 });
      for (const start of ['', 'SELECT ', 'answer['])
        act(instance, start + part.repeat(Math.ceil(1e5 / part.length)));
      expect(JSON.stringify(instance.snapshot!()).length).toBeLessThan(20_000);
    }
  });
});
