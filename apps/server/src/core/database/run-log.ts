/**
 * @file Appends to the history of a run. Cursors are given in the order of arrival, without gaps; several appends to
 * one run wait for each other, because SQLite has one connection and PostgreSQL would give one cursor twice.
 */
import { isAppError } from '@espalier/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { runSql } from './run-sql.js';
import type { Run } from './entities/run.js';
import { LiveBus } from './live-bus.js';
import { insertRecords } from './insert-records.js';
import type { RunRecord } from './entities/run-record.js';
import { WriteQueue } from './write-queue.js';

/** A record before it has its cursor. */
export type NewRecord = Omit<RunRecord, 'runId' | 'cursor'>;

@Injectable()
export class RunLog {
  private readonly line: WriteQueue;
  private readonly logger = new Logger('run-log');
  private readonly lossListeners = new Set<() => void>();

  constructor(
    private readonly source: DataSource,
    private readonly bus: LiveBus,
  ) {
    this.line = new WriteQueue(source, undefined, (error) =>
      this.logger.error(
        `after a write: a listener threw ${describe(error)}; the write itself stands as it was`,
      ),
    );
  }

  /**
   * Does one write after the other, for the whole server: SQLite has one connection, on which two transactions would
   * mix. Writes that come together share a transaction; each is done wholly or not at all.
   *
   * @param onFailure called when nothing was committed, before the next write begins
   */
  async write<T>(work: (manager: EntityManager) => Promise<T>, onFailure?: () => void): Promise<T> {
    return this.line.write(work, (error) => {
      onFailure?.();
      if (!isAppError(error)) for (const listener of this.lossListeners) listener();
    });
  }

  /**
   * Calls back whenever a write failed that nobody refused: what it did outside of the database stands, and when a
   * connection was lost in COMMIT, so may the write itself.
   */
  onLoss(listener: () => void): void {
    this.lossListeners.add(listener);
  }

  /**
   * Reads what is committed. On SQLite this takes its turn among the writes, because the one connection would show
   * an open transaction; whoever follows a run by its cursors reads here.
   */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.source.options.type === 'postgres') return work(this.source.manager);
    return this.line.read(work);
  }

  /** Does something between two transactions, on every database: nothing is written meanwhile. */
  async pause<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.line.read(work);
  }

  /** Does something as soon as the transaction of this manager is committed; nothing if it is rolled back. */
  afterCommit(manager: EntityManager, next: () => void): void {
    this.line.afterCommit(manager, next);
  }

  /** Does something when the transaction of this manager is rolled back, or lost. */
  afterFailure(manager: EntityManager, next: () => void): void {
    this.line.afterFailure(manager, next);
  }

  /**
   * Appends records inside a transaction of `write`, and gives them their cursors. The caller publishes them with
   * `publish` once `write` has resolved.
   */
  async append(manager: EntityManager, runId: string, records: readonly NewRecord[]): Promise<RunRecord[]> {
    if (records.length === 0) return [];
    const head = await moveHead(manager, runId, records.length);
    const first = head - records.length + 1;
    const stored = records.map((record, index) => ({ ...record, runId, cursor: first + index }));
    await insertRecords(manager, stored);
    return stored;
  }

  /** Tells everybody who listens what was stored, and what the run looks like now. */
  publish(records: readonly RunRecord[], run?: Run): void {
    const [first] = records;
    if (first !== undefined) this.bus.publish('records', first.runId, { runId: first.runId, records });
    if (run !== undefined) this.bus.publish('run', run.id, run);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Takes cursors for new records; gives the last of them. */
async function moveHead(manager: EntityManager, runId: string, count: number): Promise<number> {
  const [row] = await runSql<{ head: unknown }>(
    manager,
    'UPDATE run SET head = head + ? WHERE id = ? RETURNING head',
    [count, runId],
  );
  if (row === undefined) throw new Error(`append to run "${runId}": there is no such run`);
  return Number(row.head);
}
