/** @file Creates a run with its training job directly in a server's database. */
import type { JobNeeds } from '@espalier/protocol';
import { DataSource } from 'typeorm';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import type { Job } from '../../apps/server/src/core/database/entities/job.js';
import { JobService } from '../../apps/server/src/core/scheduling/job.service.js';
import { newJob } from '../../apps/server/src/core/scheduling/new-job.js';
import { newRun } from '../../apps/server/src/core/runs/create/new-run.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import type { TestServer } from './start-server.js';

export interface JobWish {
  readonly needs?: Partial<JobNeeds>;
  readonly priority?: number;
  readonly createdBy?: string;
  readonly project?: string;
}

/** Creates a run and its queued job. */
export async function createJob({ app }: Pick<TestServer, 'app'>, wish: JobWish = {}): Promise<Job> {
  const { priority = 0, createdBy = 'admin', project = 'default' } = wish;
  const needs: JobNeeds = { kind: 'cpu', count: 1, memoryMb: 0, labels: [], ...wish.needs };
  const given = { project, needs, priority, createdAt: Date.now(), createdBy };
  const runId = createId('run');
  const run = newRun({ ...given, id: runId, name: runId, spec: { steps: 3 }, specHash: 'h' });
  await app
    .get(DataSource)
    .getRepository(Run)
    .insert(run as never);
  return app.get(JobService).create(newJob({ ...given, id: createId('job'), runId }));
}
