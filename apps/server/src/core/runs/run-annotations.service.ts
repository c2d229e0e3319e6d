/** @file Annotations of runs: what users write about them. */
import { Injectable } from '@nestjs/common';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
import { searchTextOf } from './create/new-run.js';
import { RunQueries } from './run-queries.service.js';
import type { RunEdit } from './run-request.js';

@Injectable()
export class RunAnnotations {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly audit: AuditService,
  ) {}

  /** Replaces the given annotations and records the change; stores nothing when none is given. */
  async edit(caller: Caller, runId: string, edit: RunEdit): Promise<Run> {
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
