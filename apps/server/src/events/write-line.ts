/**
 * @file The one line of writes of the server. Writes that have come together share one transaction and its fsync, each
 * under a savepoint, so that one that fails takes nothing of the others with it. Between two transactions the process
 * turns to its sockets: SQLite's driver is synchronous, and nobody else would get a word in.
 */
import type { DataSource, EntityManager } from 'typeorm';
import { isTransactionLost, leaveTransaction } from '../database/lost-transaction.js';

type Work = (manager: EntityManager) => Promise<unknown>;

/** A write that waits for its turn. */
interface Waiting {
  readonly work: Work;
  readonly onFailure: (() => void) | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A write whose statements have been executed, before the commit. */
interface Executed {
  readonly entry: Waiting;
  readonly value: unknown;
  readonly then: readonly (() => void)[];
}

/** Most writes in one transaction. */
const most = 32;

export class WriteLine {
  private writes: Waiting[] = [];
  private reads: (() => Promise<void>)[] = [];
  private isRunning = false;
  private readonly afterwards = new WeakMap<EntityManager, (() => void)[]>();

  constructor(private readonly source: DataSource) {}

  /** Executes a write in its turn; resolves when it is committed. */
  write<T>(work: (manager: EntityManager) => Promise<T>, onFailure?: () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.writes.push({ work, onFailure, resolve, reject });
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

  /** Called as soon as the present write of this manager is committed; not if it fails. */
  afterCommit(manager: EntityManager, next: () => void): void {
    const list = this.afterwards.get(manager);
    if (list === undefined)
      throw new Error('afterCommit: this manager belongs to no transaction of RunLog.write');
    list.push(next);
  }

  private run(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    void this.drain();
  }

  private async drain(): Promise<void> {
    // What is asked for in the same turn goes together.
    await Promise.resolve();
    while (this.writes.length + this.reads.length > 0) {
      const batch = this.writes.splice(0, most);
      if (batch.length > 0) await this.commit(batch);
      for (const read of this.reads.splice(0)) await read();
      if (this.writes.length + this.reads.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.isRunning = false;
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    const executed: Executed[] = [];
    // also those that never came to their turn, because the database was lost before it
    const open = new Set(batch);
    try {
      await this.source.transaction(async (manager) => {
        for (const entry of batch) {
          const isDone = await this.execute(manager, entry, batch.length > 1, executed);
          if (!isDone) open.delete(entry);
        }
      });
    } catch (error) {
      leaveTransaction(this.source);
      for (const entry of open) fail(entry, error);
      return;
    }
    for (const { entry, value, then } of executed) {
      for (const next of then) next();
      entry.resolve(value as never);
    }
  }

  /**
   * A write that fails is over at once; with others in the transaction only its savepoint is rolled back.
   *
   * @returns whether it waits for the commit
   */
  private async execute(
    manager: EntityManager,
    entry: Waiting,
    isShared: boolean,
    executed: Executed[],
  ): Promise<boolean> {
    const then: (() => void)[] = [];
    const work = async (own: EntityManager): Promise<unknown> => {
      this.afterwards.set(own, then);
      return entry.work(own);
    };
    try {
      const value = isShared ? await manager.transaction(work) : await work(manager);
      executed.push({ entry, value, then });
      return true;
    } catch (error) {
      // alone, it takes the transaction with it; a full disk takes that of all
      if (!isShared || isTransactionLost(this.source)) throw error;
      fail(entry, error);
      return false;
    }
  }
}

function fail({ onFailure, reject }: Waiting, error: unknown): void {
  onFailure?.();
  reject(error);
}
