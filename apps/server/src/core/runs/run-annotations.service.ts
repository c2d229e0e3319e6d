/** @file What users change of a run: its annotations and its priority. */
import { Injectable } from '@nestjs/common';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
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
    private readonly audit: AuditService,
  ) {}

  /** Replaces what is given and records the change; stores nothing when nothing is given. */
  async edit(caller: Caller, runId: string, { priority, ...annotations }: RunEdit): Promise<Run> {
    if (priority !== undefined) await this.lifecycle.setPriority(caller, runId, priority);
    return this.annotate(caller, runId, annotations);
  }

  private async annotate(caller: Caller, runId: string, edit: RunAnnotation): Promise<Run> {
    const found = await this.queries.find(caller, runId);
    const patch = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
    if (Object.keys(patch).length === 0) return found;
    const { id } = found;
    const run = await this.log.write({ runId: id }, async (manager) => {
      const before = await manager.findOneByOrFail(Run, { id });
      const search = searchTextOf({ ...before, ...patch });
      await manager.update(Run, { id }, { ...patch, search });
      const body = { by: caller.keyName, ...patch };
      const record = { kind: 'note', attempt: 0, step: -1, time: Date.now(), body };
      const stored = await this.log.append(manager, id, [record]);
      const after = await manager.findOneByOrFail(Run, { id });
      this.log.afterCommit(manager, () => this.log.publish(stored, after));
      return after;
    });
    await this.audit.record(caller, 'run.edit', id, 'done', patch);
    return run;
  }
}
