/** @file What users change of a run: its annotations and its priority. */
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
import { JobService } from '../scheduling/job.service.js';
import { searchTextOf } from './create/new-run.js';
import { RunLifecycle } from './run-lifecycle.service.js';
import { RunQueries } from './run-queries.service.js';
import type { RunAnnotation, RunEdit } from './run-request.js';

@Injectable()
export class RunAnnotations {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly lifecycle: RunLifecycle,
    private readonly jobs: JobService,
    private readonly audit: AuditService,
  ) {}

  /** Replaces all that is given, or nothing, and records the change; stores nothing when nothing is given. */
  async edit(caller: Caller, runId: string, { priority, ...annotations }: RunEdit): Promise<Run> {
    const found = await this.queries.find(caller, runId);
    const patch = Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined));
    const isAnnotated = Object.keys(patch).length > 0;
    if (priority === undefined && !isAnnotated) return found;
    const { id } = found;
    const job =
      priority === undefined
        ? undefined
        : await this.lifecycle.findTraining(caller, 'priority', found, { priority });
    const run = await this.log.write({ runId: id }, async (manager) => {
      if (job !== undefined && priority !== undefined) await this.jobs.setPriority(job.id, priority, manager);
      return isAnnotated
        ? this.annotate(manager, id, patch, caller.keyName)
        : manager.findOneByOrFail(Run, { id });
    });
    if (priority !== undefined) await this.audit.record(caller, 'run.priority', id, 'done', { priority });
    if (isAnnotated) await this.audit.record(caller, 'run.edit', id, 'done', patch);
    return run;
  }

  private async annotate(
    manager: EntityManager,
    id: string,
    patch: Partial<Pick<Run, keyof RunAnnotation>>,
    by: string,
  ): Promise<Run> {
    const before = await manager.findOneByOrFail(Run, { id });
    const search = searchTextOf({ ...before, ...patch });
    await manager.update(Run, { id }, { ...patch, search });
    const record = { kind: 'note', attempt: 0, step: -1, time: Date.now(), body: { by, ...patch } };
    const stored = await this.log.append(manager, id, [record]);
    const after = await manager.findOneByOrFail(Run, { id });
    this.log.afterCommit(manager, () => this.log.publish(stored, after));
    return after;
  }
}
