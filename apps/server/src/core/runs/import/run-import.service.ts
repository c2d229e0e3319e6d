/**
 * @file Imports runs that were created elsewhere: the announcement, then their events and files, then the end. Until
 * then a run is `importing`; an interrupted import continues where it stopped. Events are ingested and files are stored as
 * those of any run.
 */
import { specHash } from '@espalier/config/plain';
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/caller.js';
import { AuditService } from '../../access/audit.service.js';
import { createId } from '../../database/create-id.js';
import { EventIngest } from '../../scheduling/attempts/event-ingest.service.js';
import { RunLog } from '../../database/run-log.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Job } from '../../database/entities/job.js';
import { JobService } from '../../scheduling/job.service.js';
import { UsageQuotas } from '../../scheduling/usage-quotas.js';
import { newAttempt, newJob } from '../../scheduling/new-job.js';
import { chooseNeeds } from '../create/choose-needs.js';
import { claimIdentity, identify, type RequestIdentity } from '../create/idempotency.js';
import { newRun } from '../create/new-run.js';
import { projectOf } from '../create/run-creator.service.js';
import { RunQueries } from '../run-queries.service.js';
import { Run } from '../../database/entities/run.js';
import type { ImportAnswer, ImportEventsRequest, ImportHandle, ImportRequest } from './import-messages.js';

@Injectable()
export class RunImport {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly jobs: JobService,
    private readonly quotas: UsageQuotas,
    private readonly ingest: EventIngest,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates an imported run, without events and files yet, or returns the one with the same fingerprint, whether its
   * import is complete or not.
   *
   * @throws run.not_possible when the run has grown since its import was interrupted; access.denied, access.limit_exceeded
   */
  async start(caller: Caller, request: ImportRequest): Promise<ImportAnswer> {
    const project = projectOf(caller, request.project);
    await this.quotas.checkStorage(caller.keyId);
    const identity = identify(project, 'import', request);
    // concurrent imports of one folder create one run
    const subject = `import ${project} ${request.fingerprint ?? identity?.idempotencyKey ?? createId('import')}`;
    const { run, isNew, attempts } = await this.log.write(subject, async (manager) => {
      const created = await claimIdentity(manager, identity);
      const known = created ?? (await findKnown(manager, project, request));
      const run = known ?? (await this.insert(manager, caller, project, request, identity));
      const order = { number: 'ASC' as const };
      const attempts = await manager.find(Attempt, { where: { runId: run.id, workerId: '' }, order });
      return { run, isNew: known === undefined || created !== null, attempts };
    });
    const isUnfinished = run.state === 'importing';
    if (isUnfinished)
      await this.audit.record(caller, 'run.import', run.id, 'done', { project, isContinued: !isNew });
    const newest = attempts.at(-1);
    if (newest === undefined) throw new Error(`run ${run.id} was imported without an attempt`);
    return {
      ...handleOf(newest),
      name: run.name,
      state: run.state,
      isNew,
      isChanged: run.importContent !== request.content,
      attempts: attempts.map(({ number, ackedTrainer }) => ({ attempt: number, acked: ackedTrainer })),
    };
  }

  /**
   * Stores events of an attempt; attempts come in order, and a later one ends the one before.
   *
   * @throws run.not_possible, run.wrong_state, worker.fenced, event.gap, server.not_found
   */
  async addEvents(
    caller: Caller,
    runId: string,
    { attempt, events }: ImportEventsRequest,
  ): Promise<ImportHandle> {
    const run = await this.queries.find(caller, runId);
    assertImporting(run, 'import events into');
    const opened = await this.log.write({ runId: run.id }, (manager) => openAttempt(manager, run, attempt));
    const { acked } = await this.ingest.ingest({
      attemptId: opened.id,
      token: attempt,
      stream: 'trainer',
      events,
    });
    return { ...handleOf(opened), acked };
  }

  private async insert(
    manager: EntityManager,
    caller: Caller,
    project: string,
    request: ImportRequest,
    identity: RequestIdentity | undefined,
  ): Promise<Run> {
    const { spec, tags, note, startedAt, fingerprint, content } = request;
    const { host, gitRevision, versions, plugins } = request;
    const runId = createId('run');
    const jobId = createId('job');
    const now = Date.now();
    const message = 'its history and files are being uploaded';
    const shared = {
      project,
      needs: chooseNeeds(undefined, spec),
      state: 'importing' as const,
      message,
      startedAt,
    };
    const run = newRun({
      id: runId,
      name: request.name ?? spec.name,
      spec,
      specHash: specHash(spec),
      steps: spec.steps,
      ...shared,
      createdAt: now,
      tags,
      note,
      host,
      gitRevision,
      versions,
      plugins,
      imported: true,
      importKey: fingerprint,
      importContent: content,
      createdBy: caller.keyName,
      ...identity,
    });
    await manager.insert(Run, run as never);
    const job = newJob({ id: jobId, runId, ...shared, createdAt: now, token: 1, createdBy: caller.keyId });
    await this.jobs.create(job, manager);
    await insertAttempt(manager, run, jobId, 1, request.hardware);
    return run;
  }
}

/** Refuses runs that are not being imported. */
export function assertImporting(run: Run, operation: string): void {
  if (!run.imported)
    throw new AppError(
      'run.not_possible',
      `${operation} run ${run.id}: this server created it and records its history; import into a new run`,
    );
  if (run.state !== 'importing')
    throw new AppError(
      'run.wrong_state',
      `${operation} run ${run.id}: its import has ended as ${run.state}, and an imported run cannot be changed`,
      { details: { state: run.state } },
    );
}

/** Finds the run of the same fingerprint, unless the request is for another run. */
async function findKnown(
  manager: EntityManager,
  project: string,
  { fingerprint, content, again }: ImportRequest,
): Promise<Run | undefined> {
  if (fingerprint === null) return undefined;
  const where = { project, importKey: fingerprint };
  const known = await manager.findOne(Run, { where, order: { createdAt: 'DESC', id: 'DESC' } });
  if (known === null) return undefined;
  const isUnfinished = known.state === 'importing';
  if (isUnfinished && known.importContent === content) return known;
  if (again) return undefined;
  if (!isUnfinished) return known;
  throw new AppError(
    'run.not_possible',
    `import a run: its import as ${known.id} was interrupted and the run has grown since, so it cannot be completed; delete ${known.id} and import again`,
    { details: { runId: known.id } },
  );
}

function handleOf({ runId, id, number, ackedTrainer }: Attempt): ImportHandle {
  return { runId, attemptId: id, token: number, acked: ackedTrainer };
}

/** Returns an attempt of an imported run; creates it if it follows the newest. */
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
  const first = await manager.findOneBy(Attempt, { jobId: job.id, number: 1 });
  return insertAttempt(manager, run, job.id, number, first?.hardware ?? null);
}

async function insertAttempt(
  manager: EntityManager,
  run: Run,
  jobId: string,
  number: number,
  hardware: Attempt['hardware'],
): Promise<Attempt> {
  const { host, versions, gitRevision, plugins, startedAt } = run;
  const now = Date.now();
  const attempt = newAttempt({
    id: createId('attempt', now),
    jobId,
    runId: run.id,
    number,
    state: 'ended',
    hardware,
    devices: hardware?.map(({ id }) => id) ?? [],
    workerId: '',
    workerName: '',
    host,
    versions,
    gitRevision,
    plugins,
    startedAt,
    assignedAt: startedAt ?? now,
  });
  await manager.insert(Attempt, attempt as never);
  await manager.update(Job, { id: jobId }, { attemptId: attempt.id });
  return attempt;
}
