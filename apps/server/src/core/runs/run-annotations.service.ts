/** @file Annotations of runs, and deletion of runs with their data. */
import type { AppError } from '@espalier/contracts';
import { stoppedStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, Not } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { Alert } from '../database/entities/alert.js';
import { Artifact } from '../database/entities/artifact.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { AuditService } from '../access/audit.service.js';
import { HistoryDeletion } from '../history/records/history-deletion.service.js';
import { RunLog } from '../database/run-log.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { listDependentForks } from './dependent-forks.js';
import { RunQueries } from './run-queries.service.js';
import type { RunEdit } from './run-request.js';
import { notPossible, wrongState } from './refusals.js';
import { Run } from '../database/entities/run.js';
import { searchTextOf } from './search-text.js';

@Injectable()
export class RunAnnotations {
  constructor(
    private readonly log: RunLog,
    private readonly queries: RunQueries,
    private readonly artifacts: ArtifactService,
    private readonly history: HistoryDeletion,
    private readonly audit: AuditService,
  ) {}

  /** Replaces what people wrote about a run; nothing is stored when nothing is given. */
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

  /**
   * Deletes a stopped run, or one with an unfinished import: its history, trajectories and artifacts. Its forks stay.
   */
  async delete(caller: Caller, runId: string): Promise<Run> {
    const run = await this.queries.find(caller, runId);
    const refusal = await this.log.write({ runId: run.id }, async (manager) => {
      const found = await this.findObstacle(manager, run);
      if (found !== undefined) return found;
      await this.history.deleteHistory(manager, run.id);
      for (const entity of [Alert, Attempt, Job, Artifact]) await manager.delete(entity, { runId: run.id });
      await manager.delete(Run, { id: run.id });
      return undefined;
    });
    await this.audit.record(caller, 'run.delete', run.id, refusal?.code ?? 'done', { name: run.name });
    if (refusal !== undefined) throw refusal;
    await this.artifacts.removeBytes(run.id);
    return run;
  }

  /** Why a run cannot be deleted; undefined: it can. */
  private async findObstacle(manager: EntityManager, { id }: Run): Promise<AppError | undefined> {
    const busy = await manager.findOneBy(Job, { runId: id, state: Not(In([...stoppedStates, 'importing'])) });
    if (busy !== null)
      return wrongState(
        `delete run ${id}: its job ${busy.id} is ${busy.state}; cancel it first, and delete the run when it has stopped`,
        busy.state,
      );
    const [child] = await listDependentForks(manager, id);
    if (child === undefined) return undefined;
    return notPossible(
      `delete run ${id}: run ${child.id} was forked from it and has stored no checkpoint of its own, so it needs that of this run; cancel that one first, or wait`,
      { childRunId: child.id },
    );
  }
}
