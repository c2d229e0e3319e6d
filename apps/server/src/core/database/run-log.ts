/**
 * @file All writes, and the history of runs. Records get cursors in the order of arrival, without gaps: writes of one run
 * are executed one after the other (write-queues.ts).
 */
import { isAppError } from '@espalier/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { runSql } from './run-sql.js';
import { Alert } from './entities/alert.js';
import type { Run } from './entities/run.js';
import { LiveBus } from './live-bus.js';
import { RunRecord } from './entities/run-record.js';
import { insertRows } from './rows.js';
import { afterCommit, afterFailure, WriteQueue } from './write-queue.js';
import { type Subject, WriteQueues } from './write-queues.js';

/** A record without its cursor. */
export type NewRecord = Omit<RunRecord, 'runId' | 'cursor'>;

type AlertListener = (manager: EntityManager, alerts: readonly Alert[]) => Promise<void>;

@Injectable()
export class RunLog {
  /** SQLite has one queue of writes, PostgreSQL one per run */
  private readonly queues: WriteQueue | WriteQueues;
  private readonly logger = new Logger('run-log');
  private readonly lossListeners = new Set<() => void>();
  private readonly alertListeners: AlertListener[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly bus: LiveBus,
  ) {
    const onThrown = (error: unknown): void =>
      this.logger.error(
        `after a write: a listener threw ${describe(error)}; the write itself is not affected`,
      );
    this.queues =
      source.options.type === 'postgres'
        ? new WriteQueues(source, onThrown)
        : new WriteQueue(source, undefined, onThrown);
  }

  /**
   * Executes a write in a transaction. Writes of one subject are executed one after the other, in order; those of
   * different runs wait for each other only on SQLite, which has one connection.
   *
   * @param onFailure called when nothing was committed, before the next write starts
   */
  async write<T>(
    subject: Subject,
    work: (manager: EntityManager) => Promise<T>,
    onFailure?: () => void,
  ): Promise<T> {
    const fail = (error: unknown): void => {
      onFailure?.();
      if (!isAppError(error)) for (const listener of this.lossListeners) listener();
    };
    return this.queues instanceof WriteQueue
      ? this.queues.write(work, fail)
      : this.queues.write(subject, work, fail);
  }

  /**
   * Locks a run inside a write of another subject. Returns false if another write has locked the run; what was read of
   * it before may have changed.
   */
  async tryLock(manager: EntityManager, runId: string): Promise<boolean> {
    return this.queues instanceof WriteQueue || this.queues.tryLock(manager, runId);
  }

  /** Resolves when no write is queued or running. */
  async settled(): Promise<void> {
    if (this.queues instanceof WriteQueue) await this.queues.write(() => Promise.resolve());
    else await this.queues.settled();
  }

  /**
   * Calls back when a write failed other than by an AppError: its effects outside of the database remain, and if the
   * connection was lost in COMMIT, the write itself may be stored.
   */
  onLoss(listener: () => void): void {
    this.lossListeners.add(listener);
  }

  /**
   * Reads committed data. On SQLite the read is queued among the writes, because the one connection would show an open
   * transaction; followers of a run must read here.
   */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.queues instanceof WriteQueue ? this.queues.read(work) : work(this.source.manager);
  }

  /** Calls back when the transaction of this manager is committed; not if it is rolled back. */
  afterCommit(manager: EntityManager, next: () => void): void {
    afterCommit(manager, next);
  }

  /** Calls back when the transaction of this manager is rolled back, or lost. */
  afterFailure(manager: EntityManager, next: () => void): void {
    afterFailure(manager, next);
  }

  /**
   * Appends records inside a transaction of `write`, and assigns their cursors. The caller publishes them with
   * `publish` once `write` has resolved.
   */
  async append(manager: EntityManager, runId: string, records: readonly NewRecord[]): Promise<RunRecord[]> {
    if (records.length === 0) return [];
    const head = await moveHead(manager, runId, records.length);
    const first = head - records.length + 1;
    const stored = records.map((record, index) => ({
      ...record,
      time: Math.round(record.time),
      runId,
      cursor: first + index,
    }));
    await insertRows(manager, RunRecord, stored);
    return stored;
  }

  /** Calls back inside each write that stores alerts. */
  onAlerts(listener: AlertListener): void {
    this.alertListeners.push(listener);
  }

  /** Stores alerts inside a write, and publishes them once it is committed. */
  async storeAlerts(manager: EntityManager, alerts: readonly Alert[]): Promise<void> {
    if (alerts.length === 0) return;
    await manager.insert(Alert, [...alerts]);
    for (const listener of this.alertListeners) await listener(manager, alerts);
    afterCommit(manager, () => {
      for (const alert of alerts) this.bus.publish('alert', alert.id, alert);
    });
  }

  /** Publishes new records, and the run as it is now. */
  publish(records: readonly RunRecord[], run?: Run): void {
    const [first] = records;
    if (first !== undefined) this.bus.publish('records', first.runId, { runId: first.runId, records });
    if (run !== undefined) this.bus.publish('run', run.id, run);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Reserves cursors for new records; returns the last of them. */
async function moveHead(manager: EntityManager, runId: string, count: number): Promise<number> {
  const [row] = await runSql<{ head: unknown }>(
    manager,
    'UPDATE run SET head = head + ? WHERE id = ? RETURNING head',
    [count, runId],
  );
  if (row === undefined) throw new Error(`append to run "${runId}": there is no such run`);
  return Number(row.head);
}
