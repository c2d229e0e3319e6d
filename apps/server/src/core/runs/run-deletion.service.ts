/** @file Deletes a run with its history, its trajectories and its artifacts. */
import type { AppError } from '@espalier/contracts';
import { stoppedStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, Not } from 'typeorm';
import { AuditService } from '../access/audit.service.js';
import type { Caller } from '../access/caller.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { Alert } from '../database/entities/alert.js';
import { AlertVerdict } from '../database/entities/alert-verdict.js';
import { Artifact } from '../database/entities/artifact.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { MetricBlock } from '../database/entities/metric-block.js';
import { RunComment } from '../database/entities/run-comment.js';
import { RunRecord } from '../database/entities/run-record.js';
import { Run } from '../database/entities/run.js';
import { LiveBus } from '../database/live-bus.js';
import { Rater, Rating, RatingItem, RatingSet } from '../database/entities/rating.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { RunLog } from '../database/run-log.js';
import { isPostgres, runSql } from '../database/run-sql.js';
import { MetricTails } from '../history/metrics/metric-tails.js';
import { listDependentForks } from './dependent-forks.js';
import { notPossible, wrongState } from './refusals.js';
import { RunQueries } from './run-queries.service.js';

const entitiesOfRun = [
  TrajectoryEntity,
  MetricBlock,
  RunRecord,
  RunComment,
  AlertVerdict,
  Alert,
  Attempt,
  Job,
  Artifact,
];

@Injectable()
export class RunDeletion {
  constructor(
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly queries: RunQueries,
    private readonly artifacts: ArtifactService,
    private readonly tails: MetricTails,
    private readonly audit: AuditService,
  ) {}

  /**
   * Deletes a stopped run, or one with an unfinished import. Its forks stay.
   *
   * @throws run.wrong_state, run.not_possible, server.not_found
   */
  async delete(caller: Caller, runId: string): Promise<Run> {
    const run = await this.queries.find(caller, runId);
    const refusal = await this.log.write({ runId: run.id }, async (manager) => {
      const found = await findRefusal(manager, run);
      if (found === undefined) await this.deleteRows(manager, run.id);
      return found;
    });
    await this.audit.record(caller, 'run.delete', run.id, refusal?.code ?? 'done', { name: run.name });
    if (refusal !== undefined) throw refusal;
    await this.artifacts.removeBytes(run.id);
    return run;
  }

  private async deleteRows(manager: EntityManager, runId: string): Promise<void> {
    const search = isPostgres(manager)
      ? 'DELETE FROM trajectory_search WHERE "runId" = ?'
      : 'DELETE FROM trajectory_search WHERE rowid IN (SELECT "searchKey" FROM trajectory WHERE "runId" = ?)';
    await runSql(manager, search, [runId]);
    const changed = await deleteRatings(manager, runId);
    for (const entity of entitiesOfRun) await manager.delete(entity, { runId });
    await manager.delete(Run, { id: runId });
    this.tails.forget(runId);
    this.log.afterCommit(manager, () => {
      this.bus.publish('runDeleted', runId, { runId });
      for (const set of changed) this.bus.publish('ratingSet', set.id, set);
    });
  }
}

/**
 * Deletes what was rated of a run; a set keeps its other items, and goes with its last one. Returns the sets that changed,
 * and as they were those that are gone.
 */
async function deleteRatings(manager: EntityManager, runId: string): Promise<RatingSet[]> {
  const items = await manager.findBy(RatingItem, [{ runId }, { otherRunId: runId }]);
  for (const { setId, position } of items) {
    // the item first: who is rating it holds it, and what was written until then is seen afterwards
    await manager.delete(RatingItem, { setId, position });
    await manager.delete(Rating, { setId, position });
  }
  const sets = await manager.findBy(RatingSet, { id: In([...new Set(items.map(({ setId }) => setId))]) });
  for (const set of sets) {
    const { id } = set;
    const size = await manager.countBy(RatingItem, { setId: id });
    if (size > 0) {
      await manager.update(RatingSet, { id }, { size });
      set.size = size;
    } else {
      await manager.delete(Rater, { setId: id });
      await manager.delete(RatingSet, { id });
    }
  }
  return sets;
}

/** Why a run cannot be deleted; undefined: it can. */
async function findRefusal(manager: EntityManager, { id }: Run): Promise<AppError | undefined> {
  const active = await manager.findOneBy(Job, { runId: id, state: Not(In([...stoppedStates, 'importing'])) });
  if (active !== null)
    return wrongState(
      `delete run ${id}: its job ${active.id} is ${active.state}; cancel it first, and delete the run when it has stopped`,
      active.state,
    );
  const [fork] = await listDependentForks(manager, id);
  if (fork === undefined) return undefined;
  if (fork.spec['lora'] !== undefined)
    return notPossible(
      `delete run ${id}: run ${fork.id} was forked from it with LoRA, and needs the checkpoint that it began with to be resumed, evaluated or forked; delete that one first`,
      { childRunId: fork.id },
    );
  return notPossible(
    `delete run ${id}: run ${fork.id} was forked from it and has stored no checkpoint of its own, so it needs that of this run; cancel that one first, or wait`,
    { childRunId: fork.id },
  );
}
