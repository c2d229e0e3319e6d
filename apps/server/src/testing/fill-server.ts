/** @file Adds keys and queued jobs to a running server without its API, for tests and for the bench. */
import { DataSource } from 'typeorm';
import { KeyService } from '../core/access/key.service.js';
import { createId } from '../core/database/create-id.js';
import { RunLog } from '../core/database/run-log.js';
import { Job } from '../core/database/entities/job.js';
import { JobQueue } from '../core/scheduling/job-queue.js';
import { newJob } from '../core/scheduling/new-job.js';
import { newRun } from '../core/runs/create/new-run.js';
import { Run } from '../core/database/entities/run.js';
import type { RunningServer } from '../start-server.js';

const chunk = 200;

/** Creates a key of a role that sees every project. @returns its secret */
export async function createTestKey(
  { app }: Pick<RunningServer, 'app'>,
  role: 'viewer' | 'operator' | 'admin' | 'worker',
): Promise<string> {
  return (await app.get(KeyService).create({ name: role, role, projects: ['*'] })).secret;
}

/** Creates runs, each with a queued training job for one CPU slot, of five priorities and the given keys in turn. */
export async function createWaitingJobs(
  { app }: Pick<RunningServer, 'app'>,
  count: number,
  createdBy: readonly string[] = ['bench'],
): Promise<void> {
  const log = app.get(RunLog);
  const queue = app.get(JobQueue);
  const needs = { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: [] };
  for (let from = 0; from < count; from += chunk)
    await log.write('bench', async (manager) => {
      const runs: Run[] = [];
      const jobs: Job[] = [];
      for (let index = from; index < Math.min(count, from + chunk); index += 1) {
        const given = {
          project: 'bench',
          priority: index % 5,
          createdAt: Date.now(),
          needs,
          createdBy: createdBy[index % createdBy.length] ?? 'bench',
        };
        const run = newRun({
          ...given,
          id: createId('run'),
          name: `run ${index}`,
          spec: { index },
          specHash: 'h',
        });
        runs.push(run);
        jobs.push(newJob({ ...given, id: createId('job'), runId: run.id }));
      }
      await manager.insert(Run, runs as never);
      await manager.insert(Job, jobs as never);
      for (const job of jobs) queue.changed(manager, job);
    });
}

/** Counts jobs by state. */
export async function countJobs({ app }: Pick<RunningServer, 'app'>): Promise<Record<string, number>> {
  const rows = await app
    .get(DataSource)
    .getRepository(Job)
    .createQueryBuilder('job')
    .select('job.state', 'state')
    .addSelect('COUNT(*)', 'count')
    .groupBy('job.state')
    .getRawMany<{ state: string; count: number | string }>();
  return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}
