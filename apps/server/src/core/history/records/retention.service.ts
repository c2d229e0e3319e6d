/**
 * @file Deletes old records, a few thousand cursors per transaction so that other writes do not wait long. Rows of
 * metrics are deleted only if blocks have their values, so the history of a metric stays complete.
 */
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { runSql } from '../../database/run-sql.js';
import { Clock } from '../../database/clock.js';
import { RunLog } from '../../database/run-log.js';
import { repeat } from '../../database/repeat.js';

const window = 5000; // cursors
const hour = 3_600_000; // ms
const day = 24 * hour;

type Kind = 'metrics' | 'trajectory' | 'log';

@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('retention');
  /** by kind and run: the cursor up to which nothing is left to delete */
  private readonly swept = new Map<string, number>();
  private stop = (): Promise<void> => Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'retention'>,
  ) {}

  onApplicationBootstrap(): void {
    const { metricsDays, trajectoriesDays, logsDays } = this.options.retention;
    if (metricsDays + trajectoriesDays + logsDays === 0) return;
    this.stop = repeat(
      () => this.sweep(),
      hour,
      (error) => this.logger.error(String(error)),
    );
  }

  onApplicationShutdown(): void {
    void this.stop();
  }

  /** Deletes records that are older than the settings allow. */
  async sweep(): Promise<void> {
    const { metricsDays, trajectoriesDays, logsDays } = this.options.retention;
    const limits = { metrics: metricsDays, trajectory: trajectoriesDays, log: logsDays };
    const runs = await this.log.read((manager) => runSql<{ id: string }>(manager, 'SELECT id FROM run'));
    for (const [kind, days] of Object.entries(limits) as [Kind, number][])
      if (days > 0) for (const { id } of runs) await this.sweepRun(id, kind, this.clock.now() - days * day);
  }

  private async sweepRun(runId: string, kind: Kind, before: number): Promise<void> {
    const key = `${kind}:${runId}`;
    const end = await this.log.read((manager) => lastCursor(manager, runId, kind));
    for (let from = this.swept.get(key) ?? 0; from < end; from += window) {
      const to = Math.min(end, from + window);
      const isDone = await this.log.write({ runId }, (manager) =>
        deleteOld(manager, { runId, kind, from, to, before }),
      );
      if (!isDone) return;
      this.swept.set(key, to);
    }
  }
}

interface Part {
  readonly runId: string;
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
  readonly before: number;
}

/** Deletes the old records of a part of a history; true if none of the kind is left in it. */
async function deleteOld(manager: EntityManager, { runId, kind, from, to, before }: Part): Promise<boolean> {
  const part = '"runId" = ? AND cursor > ? AND cursor <= ? AND kind = ?';
  const values = [runId, from, to, kind];
  if (kind === 'trajectory')
    await runSql(
      manager,
      `DELETE FROM trajectory WHERE "runId" = ? AND cursor IN (SELECT cursor FROM run_record WHERE ${part} AND time < ?)`,
      [runId, ...values, before],
    );
  await runSql(manager, `DELETE FROM run_record WHERE ${part} AND time < ?`, [...values, before]);
  const left = await runSql(manager, `SELECT 1 AS one FROM run_record WHERE ${part} LIMIT 1`, values);
  return left.length === 0;
}

async function lastCursor(manager: EntityManager, runId: string, kind: Kind): Promise<number> {
  const text =
    kind === 'metrics'
      ? 'SELECT MAX("lastCursor") AS cursor FROM metric_block WHERE "runId" = ?'
      : 'SELECT head AS cursor FROM run WHERE id = ?';
  const [row] = await runSql<{ cursor: unknown }>(manager, text, [runId]);
  return Number(row?.cursor ?? 0);
}
