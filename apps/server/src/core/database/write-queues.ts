/**
 * @file The queues of writes on PostgreSQL. Each run has one, whose transactions lock the run's row first: writes of
 * different runs are independent, those of one run are executed in order. On SQLite, which has one connection, all writes
 * share one queue.
 */
import type { DataSource, EntityManager } from 'typeorm';
import { Attempt } from './entities/attempt.js';
import { Job } from './entities/job.js';
import { runSql } from './run-sql.js';
import { afterwards, WriteQueue } from './write-queue.js';

/**
 * What a write changes: a run, identified by its own id or that of a job or attempt, or something outside of runs, such
 * as `keys`.
 */
export type Subject =
  | { readonly runId: string }
  | { readonly jobId: string }
  | { readonly attemptId: string }
  | string;

/** The run of a job or an attempt never changes, so this many are cached. */
const maxCached = 10_000;
/** Connections reserved for reads, some of which are part of a write. */
const connectionsForReads = 2;

export class WriteQueues {
  private readonly queues = new Map<string, WriteQueue>();
  private readonly runIds = new Map<string, Promise<string>>();
  private free: number;
  private readonly pending: (() => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly onThrown: (error: unknown) => void,
  ) {
    const { max = 10 } = source.options.extra as { max?: number };
    this.free = Math.max(1, max - connectionsForReads);
  }

  /** Executes a write in the queue of its subject; see WriteQueue.write. */
  async write<T>(
    subject: Subject,
    work: (manager: EntityManager) => Promise<T>,
    onFailure: (error: unknown) => void,
  ): Promise<T> {
    if (typeof subject === 'string') return this.named(subject).write(work, onFailure);
    const runId = await this.runIdOf(subject).catch((error: unknown) => {
      onFailure(error);
      throw error;
    });
    return this.ofRun(runId).write(work, onFailure);
  }

  /**
   * Locks a run for a write of another queue. Returns false at once, instead of waiting, if another write has locked the
   * run. No other write of the run starts before this one is over.
   */
  async tryLock(manager: EntityManager, runId: string): Promise<boolean> {
    const release = this.ofRun(runId).block();
    if (release === undefined) return false;
    afterwards(manager, release);
    const locked = await runSql(manager, 'SELECT id FROM run WHERE id = ? FOR UPDATE SKIP LOCKED', [runId]);
    return locked.length > 0;
  }

  /** Resolves when no write is queued or running. */
  async settled(): Promise<void> {
    while (this.queues.size > 0) {
      await Promise.all([...this.queues.values()].map((queue) => queue.write(() => Promise.resolve())));
      // a queue is removed in the tick after its last write
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private ofRun(runId: string): WriteQueue {
    return this.named(`run ${runId}`, async (manager) => {
      await runSql(manager, 'SELECT id FROM run WHERE id = ? FOR UPDATE', [runId]);
    });
  }

  private named(
    name: string,
    lock: (manager: EntityManager) => Promise<void> = async () => undefined,
  ): WriteQueue {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const queue = new WriteQueue(this.source, Infinity, this.onThrown, {
      admit: (transaction) => this.admit(transaction),
      lock,
      onIdle: () => this.queues.delete(name),
    });
    this.queues.set(name, queue);
    return queue;
  }

  /** Starts a transaction when a connection is available. */
  private async admit(transaction: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.pending.push(resolve));
    try {
      await transaction();
    } finally {
      const next = this.pending.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private async runIdOf(subject: Exclude<Subject, string>): Promise<string> {
    if ('runId' in subject) return subject.runId;
    return 'jobId' in subject
      ? this.cachedRunId(Job, subject.jobId)
      : this.cachedRunId(Attempt, subject.attemptId);
  }

  /** An id that does not exist has a queue under its own name. */
  private cachedRunId(entity: typeof Job | typeof Attempt, id: string): Promise<string> {
    const known = this.runIds.get(id);
    if (known !== undefined) return known;
    const found = this.readRunId(entity, id).then(
      (runId) => {
        if (runId === undefined) this.runIds.delete(id);
        return runId ?? id;
      },
      (error: unknown) => {
        this.runIds.delete(id);
        throw error;
      },
    );
    this.runIds.set(id, found);
    const [oldest] = this.runIds.keys();
    if (this.runIds.size > maxCached && oldest !== undefined) this.runIds.delete(oldest);
    return found;
  }

  private async readRunId(entity: typeof Job | typeof Attempt, id: string): Promise<string | undefined> {
    const repository = this.source.getRepository<Job | Attempt>(entity);
    return (await repository.findOne({ where: { id }, select: { runId: true } }))?.runId;
  }
}
