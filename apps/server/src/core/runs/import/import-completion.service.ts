/** @file Completes an import: compares what arrived with what was announced, then sets the final state of the run. */
import { createHash } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { AuditService } from '../../access/audit.service.js';
import type { Caller } from '../../access/caller.js';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Job } from '../../database/entities/job.js';
import type { Run } from '../../database/entities/run.js';
import { RunLog } from '../../database/run-log.js';
import { JobChanges } from '../../scheduling/job-changes.js';
import { RunQueries } from '../run-queries.service.js';
import type { ImportEndRequest } from './import-messages.js';
import { assertImporting } from './run-import.service.js';

type Content = Pick<ImportEndRequest, 'events' | 'files'>;

@Injectable()
export class ImportCompletion {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly artifacts: ArtifactService,
    private readonly changes: JobChanges,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends an import; ending it again in the same state changes nothing.
   *
   * @throws run.incomplete_import, run.wrong_state, run.not_possible, server.not_found
   */
  async end(caller: Caller, runId: string, request: ImportEndRequest): Promise<Run> {
    const run = await this.queries.find(caller, runId);
    if (run.imported && run.state === request.state) return run;
    assertImporting(run, 'end the import of');
    const files = await this.summarizeFiles(run.id);
    const isEnded = await this.log.write({ runId: run.id }, async (manager) => {
      const job = await manager.findOneByOrFail(Job, { runId: run.id, kind: 'train' });
      if (job.state !== 'importing') return false;
      assertComplete(run.id, request, { events: await countEvents(manager, job), files });
      const { state, message } = request;
      const endedAt = request.endedAt ?? Date.now();
      await manager.update(Attempt, { jobId: job.id, endedAt: IsNull() }, { endedAt });
      if (job.attemptId !== null) await manager.update(Attempt, { id: job.attemptId }, { message });
      await this.changes.changeAndLog(manager, job, state, { message, endedAt });
      return true;
    });
    if (isEnded) await this.audit.record(caller, 'run.import', run.id, 'done', { state: request.state });
    return this.queries.find(caller, run.id);
  }

  /** Counts the files, of each path the newest, and hashes their list. */
  private async summarizeFiles(runId: string): Promise<Content['files']> {
    const found: { path: string; sha256: string; bytes: number }[] = [];
    for await (const file of this.artifacts.all(runId)) found.push(file);
    // in the order of UTF-16 units, which need not be the order of the database
    found.sort((a, b) => (a.path < b.path ? -1 : 1));
    const hash = createHash('sha256');
    for (const { path, sha256 } of found) hash.update(`${sha256}  ${path}\n`);
    const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
    return { count: found.length, bytes, sha256: hash.digest('hex') };
  }
}

/** Counts the stored events of each attempt of a job, in order. */
async function countEvents(manager: EntityManager, { id: jobId }: Job): Promise<number[]> {
  const attempts = await manager.find(Attempt, { where: { jobId }, order: { number: 'ASC' } });
  return attempts.map(({ ackedTrainer }) => ackedTrainer);
}

const fileFacts = { count: 'the number of files', bytes: 'their size', sha256: 'the hash of their list' };

/** @throws run.incomplete_import naming what is missing; `details` has both sides */
function assertComplete(runId: string, announced: Content, arrived: Content): void {
  const events = announced.events.length === 0 ? [0] : announced.events;
  const flaws = (['count', 'bytes', 'sha256'] as const)
    .filter((fact) => arrived.files[fact] !== announced.files[fact])
    .map((fact) => `${fileFacts[fact]} is ${arrived.files[fact]}, announced was ${announced.files[fact]}`);
  if (String(events) !== String(arrived.events))
    flaws.unshift(
      `events of its attempts are ${arrived.events.join(', ')}, announced were ${events.join(', ')}`,
    );
  if (flaws.length === 0) return;
  throw new AppError(
    'run.incomplete_import',
    `end the import of run ${runId}: ${flaws.join('; ')}; send what is missing, then end it again`,
    { details: { announced: { events: announced.events, files: announced.files }, arrived } },
  );
}
