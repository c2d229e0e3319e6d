import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { newRun } from '../../runs/create/new-run.js';
import { Run } from '../entities/run.js';
import { databaseOptions } from '../../../config/storage-options.js';
import { openDatabase } from './open-database.js';

describe('the database on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-database-'));
  const options = databaseOptions.parse({ file: join(folder, 'deep', 'database.sqlite') });
  let source: DataSource;
  beforeAll(async () => {
    source = await openDatabase(options);
  });
  afterAll(async () => {
    await source.destroy();
    rmSync(folder, { recursive: true });
  });

  it('is for its user alone, with its folder and its companions', () => {
    const modes = ['', '-wal', '-shm'].map((end) => statSync(options.file + end).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
  });

  it('commits with a full fsync, in WAL', async () => {
    expect(await source.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await source.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  });

  it('gives back what was stored, JSON and times included', async () => {
    const run = newRun({
      id: 'run-1',
      project: 'p',
      name: 'n',
      tags: ['a'],
      spec: { steps: 3 },
      specHash: 'h',
      needs: { kind: 'cpu', count: 1, memoryMb: 0, labels: [] },
      createdAt: 1_800_000_000_123,
      createdBy: 'k',
      latest: { 'a/b': null },
    });
    await source.getRepository(Run).insert(run as never);
    expect(await source.getRepository(Run).findOneByOrFail({ id: 'run-1' })).toEqual(run);
  });

  it('says which file it could not open', async () => {
    const refused = openDatabase({ ...options, file: folder });
    await expect(refused).rejects.toMatchObject({ code: 'server.database_unusable' });
  });
});
