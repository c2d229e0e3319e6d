/** @file Deletes the history of a run: records, metrics, trajectories and their search index. */
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isPostgres, runSql } from '../../database/run-sql.js';
import { MetricBlock } from '../../database/entities/metric-block.js';
import { MetricTails } from '../metrics/metric-tails.js';
import { TrajectoryEntity } from '../../database/entities/trajectory.js';
import { RunRecord } from '../../database/entities/run-record.js';

@Injectable()
export class HistoryDeletion {
  constructor(private readonly tails: MetricTails) {}

  /** Inside a write transaction. */
  async deleteHistory(manager: EntityManager, runId: string): Promise<void> {
    const search = isPostgres(manager)
      ? 'DELETE FROM trajectory_search WHERE "runId" = ?'
      : 'DELETE FROM trajectory_search WHERE rowid IN (SELECT "searchKey" FROM trajectory WHERE "runId" = ?)';
    await runSql(manager, search, [runId]);
    for (const entity of [TrajectoryEntity, MetricBlock, RunRecord]) await manager.delete(entity, { runId });
    this.tails.forget(runId);
  }
}
