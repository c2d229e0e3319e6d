/**
 * @file A queue of writes. Writes that are queued at the same time share one transaction and its fsync, each under a savepoint, so
 * that a failed one does not affect the others. Between two transactions the process yields to the event
 * loop: SQLite's driver is synchronous, and other connections would not be served.
 */
import type { DataSource, EntityManager } from 'typeorm';
import { lockOf } from './open/database-lock.js';
import { isTransactionAborted, resetTransaction } from './open/sqlite-transactions.js';

type Work = (manager: EntityManager) => Promise<unknown>;

/** A queued write. */
interface PendingWrite {
  readonly work: Work;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  /** called when it is committed */
  readonly onCommitted: (() => void)[];
  /** called when it is not */
  readonly onFailed: ((error: unknown) => void)[];
  /** called last, whether it was committed or not */
  readonly release: (() => void)[];
}

/** What a queue shares with others on the same database. */
export interface Shared {
  /** calls the transaction when it may start */
  readonly admit: (transaction: () => Promise<void>) => Promise<void>;
  /** locks the subject of the queue; first in each transaction */
  readonly lock: (manager: EntityManager) => Promise<void>;
  /** called when the queue is empty */
  readonly onIdle: () => void;
}

const unshared: Shared = {
  admit: (transaction) => transaction(),
  lock: () => Promise.resolve(),
  onIdle: () => undefined,
};

/** the current write of each manager */
const currentWrites = new WeakMap<EntityManager, PendingWrite>();

function currentWrite(manager: EntityManager): PendingWrite {
  const entry = currentWrites.get(manager);
  if (entry === undefined) throw new Error('this manager belongs to no transaction of RunLog.write');
  return entry;
}

/** Calls back when the current write of this manager is committed; not if it fails. */
export function afterCommit(manager: EntityManager, next: () => void): void {
  currentWrite(manager).onCommitted.push(next);
}

/** Calls back when the current write of this manager fails, before the next one starts. */
export function afterFailure(manager: EntityManager, next: () => void): void {
  currentWrite(manager).onFailed.push(next);
}

/** Calls back when the current write of this manager is over, after all other callbacks. */
export function afterwards(manager: EntityManager, next: () => void): void {
  currentWrite(manager).release.push(next);
}

/** A write whose statements have been executed, before the commit. */
interface Executed {
  readonly entry: PendingWrite;
  readonly value: unknown;
}

/** Most writes in one transaction. */
const maxBatch = 32;
/** SQLite executes statements on this thread; after this time, ms, the process yields to the event loop. */
const maxTurnMs = 10;

export class WriteQueue {
  private writes: PendingWrite[] = [];
  private reads: (() => Promise<void>)[] = [];
  private isRunning = false;

  constructor(
    private readonly source: DataSource,
    private readonly maxMs = source.options.type === 'postgres' ? Infinity : maxTurnMs,
    /** called when a listener throws; the commit stands, and the queue continues */
    private readonly onListenerError: (error: unknown) => void = () => undefined,
    private readonly shared: Shared = unshared,
  ) {}

  /** Queues a write; resolves when it is committed. */
  write<T>(work: (manager: EntityManager) => Promise<T>, onFailure?: (error: unknown) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const onFailed = onFailure === undefined ? [] : [onFailure];
      this.writes.push({ work, resolve, reject, onCommitted: [], onFailed, release: [] });
      this.run();
    });
  }

  /** Executes a read between two transactions. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.reads.push(() => work(this.source.manager).then(resolve, reject));
      this.run();
    });
  }

  /** Blocks the queue until the returned function is called; undefined while a write is running. */
  block(): (() => void) | undefined {
    if (this.isRunning) return undefined;
    this.isRunning = true;
    return () => this.finish();
  }

  private run(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    void this.drain();
  }

  private async drain(): Promise<void> {
    // Requests of the same tick share a transaction.
    await Promise.resolve();
    while (this.writes.length + this.reads.length > 0) {
      if (this.writes.length > 0) await this.shared.admit(() => this.commit(this.writes.splice(0, maxBatch)));
      const until = performance.now() + this.maxMs;
      while (this.reads.length > 0 && performance.now() < until) await this.reads.shift()?.();
      if (this.writes.length + this.reads.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.finish();
  }

  private finish(): void {
    this.isRunning = false;
    if (this.writes.length + this.reads.length > 0) this.run();
    else this.shared.onIdle();
  }

  private async commit(batch: PendingWrite[]): Promise<void> {
    const executed: Executed[] = [];
    // includes those that were not executed because the database was lost
    const open = new Set(batch);
    const isShared = batch.length > 1;
    const lock = lockOf(this.source);
    try {
      await this.source.transaction(async (manager) => {
        await lock?.fence(manager);
        await this.shared.lock(manager);
        const until = performance.now() + this.maxMs;
        for (const [index, entry] of batch.entries()) {
          if (index > 0 && performance.now() > until) return this.postpone(batch.slice(index), open);
          const isDone = await this.execute(manager, entry, isShared, executed);
          if (!isDone) open.delete(entry);
        }
      });
    } catch (error) {
      resetTransaction(this.source);
      for (const entry of open) this.fail(entry, error);
      return;
    }
    for (const { entry, value } of executed) {
      for (const next of entry.onCommitted) this.notify(next);
      entry.resolve(value as never);
      for (const next of entry.release) this.notify(next);
    }
  }

  /** Moves them to the front of the next transaction. */
  private postpone(entries: readonly PendingWrite[], open: Set<PendingWrite>): void {
    for (const entry of entries) open.delete(entry);
    this.writes.unshift(...entries);
  }

  /**
   * A write that fails is over at once; with others in the transaction only its savepoint is rolled back.
   *
   * @returns whether it waits for the commit
   */
  private async execute(
    manager: EntityManager,
    entry: PendingWrite,
    isShared: boolean,
    executed: Executed[],
  ): Promise<boolean> {
    const work = async (own: EntityManager): Promise<unknown> => {
      currentWrites.set(own, entry);
      return entry.work(own);
    };
    try {
      const value = isShared ? await manager.transaction(work) : await work(manager);
      executed.push({ entry, value });
      return true;
    } catch (error) {
      // a single write fails the transaction; a full disk fails it for all
      if (!isShared || isTransactionAborted(this.source)) throw error;
      this.fail(entry, error);
      return false;
    }
  }

  private fail({ onFailed, reject, release }: PendingWrite, error: unknown): void {
    for (const next of onFailed) this.notify(() => next(error));
    reject(error);
    for (const next of release) this.notify(next);
  }

  /** Calls a listener; if it throws, the queue must continue. */
  private notify(next: () => void): void {
    try {
      next();
    } catch (error) {
      try {
        this.onListenerError(error);
      } catch {
        // a failing log cannot be reported
      }
    }
  }
}
