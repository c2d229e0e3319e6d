/** @file Completes an import: compares what arrived with what was announced, then sets the final state of the run. */
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Caller } from '../../access/caller.js';
import { AuditService } from '../../access/audit.service.js';
import { RunLog } from '../../database/run-log.js';
import { Attempt } from '../../database/entities/attempt.js';
import { JobChanges } from '../../scheduling/job-changes.js';
import { Job } from '../../database/entities/job.js';
import { RunQueries } from '../run-queries.service.js';
import { Run } from '../../database/entities/run.js';
import { assertComplete, UploadedContent } from './uploaded-content.service.js';
import type { ImportEndRequest } from './import-request.js';
import { assertImporting } from './run-import.service.js';

@Injectable()
export class ImportCompletion {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly content: UploadedContent,
    private readonly changes: JobChanges,
    private readonly audit: AuditService,
  ) {}

  /**
   * Ends an import; ending it in the same way once more changes nothing.
   *
   * @throws run.incomplete_import, run.wrong_state, run.not_possible, server.not_found
   */
  async end(caller: Caller, runId: string, request: ImportEndRequest): Promise<Run> {
    const run = await this.queries.find(caller, runId);
    if (run.imported && run.state === request.state) return run;
    assertImporting(run, 'end the import of');
    const files = await this.content.files(run.id);
    const isEnded = await this.log.write({ runId: run.id }, async (manager) => {
      const job = await manager.findOneByOrFail(Job, { runId: run.id, kind: 'train' });
      if (job.state !== 'importing') return false;
      assertComplete(run.id, request, { events: await this.content.events(manager, run.id, job.id), files });
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
}
