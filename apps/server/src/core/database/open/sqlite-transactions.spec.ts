import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOptions } from '../../../config/storage-options.js';
import { openDatabase } from './open-database.js';

describe('COMMIT on another thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-commit-'));
  const file = join(folder, 'database.sqlite');
  let source: DataSource;
  beforeAll(async () => {
    source = await openDatabase(databaseOptions.parse({ file }));
    await source.query('CREATE TABLE word (text TEXT PRIMARY KEY)');
  });
  afterAll(async () => {
    await source.destroy();
    rmSync(folder, { recursive: true });
  });
  const add = (text: string) =>
    source.transaction((manager) => manager.query('INSERT INTO word VALUES (?)', [text]));

  it('has happened when it resolves, for every connection', async () => {
    const other = new Database(file);
    for (let index = 0; index < 50; index += 1) {
      await add(`word ${index}`);
      expect(other.prepare('SELECT COUNT(*) AS count FROM word').get()).toMatchObject({ count: index + 1 });
    }
    other.close();
  });

  it('lets the process go on, and answers what is asked meanwhile', async () => {
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    await runner.query("INSERT INTO word VALUES ('late')");
    let isDone = false;
    const commit = runner.commitTransaction().then(() => (isDone = true));
    expect(isDone).toBe(false);
    while (!isDone)
      expect(await source.query("SELECT text FROM word WHERE text = 'late'")).toEqual([{ text: 'late' }]);
    await commit;
  });

  it('is refused as by SQLite itself, and the next transaction begins anew', async () => {
    await source.query('PRAGMA foreign_keys = ON');
    await source.query('CREATE TABLE reply (text TEXT REFERENCES word(text) DEFERRABLE INITIALLY DEFERRED)');
    const refused = source.transaction((manager) => manager.query("INSERT INTO reply VALUES ('no word')"));
    await expect(refused).rejects.toThrow(/FOREIGN KEY/);
    await add('after');
    expect(await source.query('SELECT COUNT(*) AS count FROM reply')).toEqual([{ count: 0 }]);
  });
});
