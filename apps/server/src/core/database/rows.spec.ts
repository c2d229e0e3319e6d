import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@espalier/testing';
import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../test/support/service.js';
import { Attempt } from './entities/attempt.js';
import { newAttempt, newJob } from '../scheduling/new-job.js';
import { Job } from './entities/job.js';
import { newRun } from '../runs/create/new-run.js';
import { Run } from './entities/run.js';
import { databaseOptions } from '../../config/storage-options.js';
import { openDatabase } from './open/open-database.js';
import { insertRow, readRow, updateRow } from './rows.js';

const needs = { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: ['a'] };
const given = { project: 'p', createdBy: 'k', createdAt: 1_800_000_000_123, needs };
const run: Run = newRun({
  ...given,
  id: 'run-1',
  name: 'n',
  tags: ['a', 'b'],
  spec: { steps: 3 },
  specHash: 'h',
  latest: { 'a/b': null, c: 0.1 },
  imported: true,
});
const job: Job = newJob({ ...given, id: 'job-1', runId: 'run-1' });
const attempt: Attempt = newAttempt({
  id: 'attempt-1',
  jobId: 'job-1',
  runId: 'run-1',
  number: 1,
  workerId: 'w',
  workerName: 'w',
  devices: ['cpu-0'],
  assignedAt: 1_800_000_000_456,
  versions: { node: '20' },
});

/** The same rows, written and read by hand and by TypeORM. */
async function expectEqualRows({ manager }: DataSource): Promise<void> {
  for (const [entity, row] of [
    [Run, run],
    [Job, job],
    [Attempt, attempt],
  ] as const) {
    const { id } = row;
    await insertRow<Run | Job | Attempt>(manager, entity, row);
    const found = await manager.findOneByOrFail<Run | Job | Attempt>(entity, { id });
    expect({ ...found }).toEqual({ ...row });
    expect(await readRow<Run | Job | Attempt>(manager, entity, id)).toEqual({ ...found });
  }
  await updateRow(manager, Run, run.id, { latest: { c: 2 }, endedAt: 5, imported: false, host: 'it"s' });
  const changed = { ...run, latest: { c: 2 }, endedAt: 5, imported: false, host: 'it"s' };
  expect({ ...(await manager.findOneByOrFail(Run, { id: run.id })) }).toEqual({ ...changed });
  expect(await readRow(manager, Run, 'run-2')).toBeNull();
}

describe('rows by their id on SQLite', () => {
  it('are those that TypeORM stores and finds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-rows-'));
    const source = await openDatabase(databaseOptions.parse({ file: join(folder, 'database.sqlite') }));
    await expectEqualRows(source);
    await source.destroy();
    rmSync(folder, { recursive: true });
  });
});

describeWith(['postgres'], 'rows by their id on PostgreSQL', () => {
  it('are those that TypeORM stores and finds', async () => {
    const service = await startPostgres();
    const source = await openDatabase(databaseOptions.parse({ kind: 'postgres', url: service.url }));
    await expectEqualRows(source);
    await source.destroy();
    await service.stop();
  });
});
