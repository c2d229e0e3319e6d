/**
 * @file Which writes wait for each other. SQLite has one connection, so there all of them do, and those that come together
 * share a commit. On PostgreSQL each run has a queue of its own, whose transactions begin by locking the run's row: writes
 * about different runs are independent, those about one run keep their order.
 */
import type { DataSource, EntityManager } from 'typeorm';
import { Attempt } from './entities/attempt.js';
import { Job } from './entities/job.js';
import { runSql } from './run-sql.js';
import { afterwards, WriteQueue } from './write-queue.js';

/**
 * What a write is about: a run, named by itself or by one of its jobs or attempts, or something that belongs to no run,
 * such as `keys`.
 */
export type Subject =
  { readonly runId: string } | { readonly jobId: string } | { readonly attemptId: string } | string;

/** The run of a job or an attempt never changes; so many are remembered. */
const mostRemembered = 10_000;
/** Connections that writes leave to reads, some of which are made in the course of a write. */
const connectionsForReads = 2;

export class WriteQueues {
  private readonly queues = new Map<string, WriteQueue>();
  private readonly runIds = new Map<string, Promise<string>>();
  private free: number;
  private readonly admitted: (() => void)[] = [];

  constructor(
    private readonly source: DataSource,
    private readonly onThrown: (error: unknown) => void,
  ) {
    const { max = 10 } = source.options.extra as { max?: number };
    this.free = Math.max(1, max - connectionsForReads);
  }

  /** Executes a write in the queue of what it is about; see WriteQueue.write. */
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
   * Makes a write of another queue one about this run, too, unless somebody else writes about it at the moment; then
   * tells so at once instead of waiting. No other write about the run begins before this one is over.
   */
  async tryLock(manager: EntityManager, runId: string): Promise<boolean> {
    const release = this.ofRun(runId).occupy();
    if (release === undefined) return false;
    afterwards(manager, release);
    const locked = await runSql(manager, 'SELECT id FROM run WHERE id = ? FOR UPDATE SKIP LOCKED', [runId]);
    return locked.length > 0;
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    while (this.queues.size > 0) {
      await Promise.all([...this.queues.values()].map((queue) => queue.write(() => Promise.resolve())));
      // a queue ends in the turn after its last write
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

  /** Lets a transaction begin when a connection is left for it. */
  private async admit(transaction: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.admitted.push(resolve));
    try {
      await transaction();
    } finally {
      const next = this.admitted.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private async runIdOf(subject: Exclude<Subject, string>): Promise<string> {
    if ('runId' in subject) return subject.runId;
    return 'jobId' in subject ? this.remember(Job, subject.jobId) : this.remember(Attempt, subject.attemptId);
  }

  /** What has no run, because nothing of that id exists, is written about under its own id. */
  private remember(entity: typeof Job | typeof Attempt, id: string): Promise<string> {
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
    if (this.runIds.size > mostRemembered && oldest !== undefined) this.runIds.delete(oldest);
    return found;
  }

  private async readRunId(entity: typeof Job | typeof Attempt, id: string): Promise<string | undefined> {
    const repository = this.source.getRepository<Job | Attempt>(entity);
    return (await repository.findOne({ where: { id }, select: { runId: true } }))?.runId;
  }
}
