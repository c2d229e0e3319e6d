/**
 * @file Takes in runs that were made without this server. Each has a job that is over and attempts that have ended; their
 * events go the way of all events, their files the way of all artifacts.
 */
import { specHash } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { jobNeeds } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/caller.js';
import { AuditService } from '../../audit/audit.service.js';
import { createId } from '../../database/create-id.js';
import { EventIngest } from '../../events/event-ingest.service.js';
import { RunLog } from '../../events/run-log.js';
import { Attempt } from '../../jobs/attempt.entity.js';
import { Job } from '../../jobs/job.entity.js';
import { JobService } from '../../jobs/job.service.js';
import { newAttempt } from '../../jobs/new-attempt.js';
import { newJob } from '../../jobs/new-job.js';
import { newRun } from '../new-run.js';
import { projectOf } from '../run-creator.service.js';
import { RunQueries } from '../run-queries.service.js';
import { Run } from '../run.entity.js';
import type { ImportEventsRequest, ImportRequest } from './import-request.js';

/** By which an attempt of an imported run is written to. */
export interface ImportHandle {
  readonly runId: string;
  readonly attemptId: string;
  readonly token: number;
  /** last sequence of the attempt that is stored */
  readonly acked: number;
}

@Injectable()
export class RunImport {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly jobs: JobService,
    private readonly ingest: EventIngest,
    private readonly audit: AuditService,
  ) {}

  /** Makes an imported run, without events and files yet. */
  async begin(caller: Caller, request: ImportRequest): Promise<ImportHandle> {
    const { spec, state, message, tags, note, host, gitRevision, versions, startedAt, endedAt } = request;
    const project = projectOf(caller, request.project);
    const [runId, jobId, now] = [createId('run'), createId('job'), Date.now()];
    const needs = jobNeeds.parse({});
    const shared = { project, needs, state, message, createdAt: now, startedAt, endedAt: endedAt ?? now };
    const run = newRun({
      ...{ id: runId, name: request.name ?? spec.name, spec, specHash: specHash(spec), steps: spec.steps },
      ...{ ...shared, tags, note, host, gitRevision, versions, imported: true, createdBy: caller.keyName },
    });
    const attempt = await this.log.write(async (manager) => {
      await manager.insert(Run, run as never);
      await this.jobs.create(newJob({ id: jobId, runId, ...shared, token: 1, createdBy: caller.keyId }), manager);
      return insertAttempt(manager, run, jobId, 1);
    });
    await this.audit.record(caller, 'run.import', runId, 'done', { project });
    return { runId, attemptId: attempt.id, token: 1, acked: 0 };
  }

  /**
   * Stores events of an attempt; attempts come in order, and a later one ends the one before.
   *
   * @throws run.not_possible, worker.fenced, event.gap, server.not_found
   */
  async addEvents(
    caller: Caller,
    runId: string,
    { attempt, events }: ImportEventsRequest,
  ): Promise<ImportHandle> {
    const run = await this.queries.find(caller, runId);
    if (!run.imported)
      throw new AppError(
        'run.not_possible',
        `import events into run ${run.id}: it was made by this server, which writes its history itself; import into a new run`,
      );
    const { id } = await this.log.write((manager) => openAttempt(manager, run, attempt));
    const { acked } = await this.ingest.ingest({
      ...{ attemptId: id, token: attempt, stream: 'trainer', events },
    });
    return { runId, attemptId: id, token: attempt, acked };
  }
}

/** Gives an attempt of an imported run; the one after the newest is made. */
async function openAttempt(manager: EntityManager, run: Run, number: number): Promise<Attempt> {
  const job = await manager.findOneByOrFail(Job, { runId: run.id, kind: 'train' });
  const known = await manager.findOneBy(Attempt, { jobId: job.id, number });
  if (known !== null) return known;
  if (number !== job.token + 1)
    throw new AppError(
      'run.not_possible',
      `import events of attempt ${number} of run ${run.id}: the newest is ${job.token}; send attempts in order, none left out`,
    );
  await manager.update(Job, { id: job.id }, { token: number });
  return insertAttempt(manager, run, job.id, number);
}

async function insertAttempt(manager: EntityManager, run: Run, jobId: string, number: number): Promise<Attempt> {
  const { host, versions, gitRevision, message, startedAt, endedAt } = run;
  const now = Date.now();
  const attempt = newAttempt({
    ...{ id: createId('attempt', now), jobId, runId: run.id, number, state: 'ended', devices: [] },
    ...{ workerId: '', workerName: '', host, versions, gitRevision, message, startedAt, endedAt },
    assignedAt: startedAt ?? now,
  });
  await manager.insert(Attempt, attempt as never);
  await manager.update(Job, { id: jobId }, { attemptId: attempt.id });
  return attempt;
}
