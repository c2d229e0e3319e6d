/**
 * @file Reconciles the attempts that a worker reports with the stored ones. An attempt that it still holds is renewed; a
 * lost one is returned to it unless its job was reassigned. That is checked and changed in one write that locks the run,
 * while the job cannot be assigned, so no job ever has two owners.
 */
import { activeStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readRow, updateRow } from '../../database/rows.js';
import { RunLog } from '../../database/run-log.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Clock } from '../../database/clock.js';
import { Job } from '../../database/entities/job.js';
import { JobChanges } from '../job-changes.js';
import { JobCounters } from '../job-counters.js';
import { JobQueue } from '../job-queue.js';
import { ConcurrencyLimits } from '../concurrency-limits.js';
import { LeaseTable } from '../attempts/lease-table.js';

/** An attempt that a worker claims to hold. */
export interface Claim {
  readonly attemptId: string;
  readonly token: number;
  readonly workerId: string;
  /** its process has ended, so it needs no devices */
  readonly hasEnded: boolean;
}

/** The newest attempt of a job, with the job. */
interface Newest {
  readonly attempt: Attempt;
  readonly job: Job;
}

@Injectable()
export class ClaimService {
  constructor(
    private readonly changes: JobChanges,
    private readonly queue: JobQueue,
    private readonly pool: WorkerPool,
    private readonly leases: LeaseTable,
    private readonly concurrency: ConcurrencyLimits,
    private readonly counters: JobCounters,
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {}

  /** Returns the stored sequence of each stream if the attempt belongs to this worker, or does again; otherwise null. */
  async resume(claim: Claim): Promise<Record<string, number> | null> {
    return this.log.write({ attemptId: claim.attemptId }, async (manager) => {
      const found = await findNewest(manager, claim);
      if (found === null) return null;
      const { attempt } = found;
      if (attempt.state === 'ended' && claim.hasEnded)
        this.log.afterCommit(manager, () => this.pool.release(attempt.id));
      else if (this.isOwn(claim)) this.leases.renew(attempt.id);
      else if (!(await this.reclaim(manager, found, claim))) return null;
      const { ackedTrainer: trainer, ackedLog: log, ackedWorker: worker } = attempt;
      return { trainer, log, worker };
    });
  }

  /**
   * Renews the attempts that a worker holds.
   *
   * @returns those it no longer holds; those that cannot be checked now are left out
   */
  async renew(
    workerId: string,
    held: readonly Pick<Claim, 'attemptId' | 'token'>[],
  ): Promise<readonly string[]> {
    const fenced = held.map(async ({ attemptId, token }) => {
      const claim = { attemptId, token, workerId, hasEnded: false };
      if (this.isOwn(claim)) this.leases.renew(attemptId);
      else if ((await this.check(claim)) === false) return [attemptId];
      return [];
    });
    return (await Promise.all(fenced)).flat();
  }

  /**
   * Lets a worker continue an attempt that it sends events of, if it lost the attempt by silence and not by reporting
   * that it did not have it. Inside a write.
   */
  async reclaimBySender(manager: EntityManager, claim: Claim): Promise<boolean> {
    if (this.pool.allocation(claim.attemptId)?.workerId !== claim.workerId) return false;
    const found = await findNewest(manager, claim);
    return found !== null && (await this.reclaim(manager, found, claim));
  }

  /**
   * Returns whether a worker holds an attempt, or does again; undefined: it cannot be checked now. An attempt whose process
   * has ended is held until it has sent everything, or another attempt starts.
   */
  private async check(claim: Claim): Promise<boolean | undefined> {
    const { attemptId } = claim;
    const write = this.log.write({ attemptId }, async (manager) => {
      const found = await findNewest(manager, claim);
      if (found?.attempt.state === 'ended') return true;
      return found !== null && (await this.reclaim(manager, found, claim));
    });
    return write.catch(() => undefined);
  }

  private isOwn({ attemptId, token, workerId }: Claim): boolean {
    const allocation = this.pool.allocation(attemptId);
    return allocation?.workerId === workerId && allocation.token === token && !allocation.isOrphan;
  }

  private async reclaim(
    manager: EntityManager,
    { attempt, job }: Newest,
    { hasEnded }: Claim,
  ): Promise<boolean> {
    // a write may have been stored although its commit was not confirmed
    const isStored = isHeld(attempt) && activeStates.includes(job.state);
    if (!isStored && !isOpen(attempt, job)) return false;
    const { id: attemptId, workerId, number: token } = attempt;
    if (this.pool.allocation(attemptId)?.isOrphan !== false) {
      await this.concurrency.refresh();
      if (this.concurrency.isExhausted(job.createdBy)) return false;
      const devices = hasEnded ? [] : attempt.devices;
      const allocation = { attemptId, token, workerId, devices, createdBy: job.createdBy };
      if (!this.pool.reallocate({ ...allocation, isOrphan: false, control: job.control })) return false;
      this.log.afterFailure(manager, () => this.pool.orphan(attemptId));
    }
    this.leases.renew(attemptId);
    if (!isStored) await this.reassign(manager, attempt, job);
    return true;
  }

  private async reassign(manager: EntityManager, attempt: Attempt, job: Job): Promise<void> {
    const { id: attemptId, workerId, workerName, startedAt } = attempt;
    const state = startedAt === null ? ('assigned' as const) : ('running' as const);
    await updateRow(manager, Attempt, attemptId, { state, endedAt: null, message: '' });
    // it was not lost after all
    const failures = Math.max(0, job.failures - 1);
    const patch = { workerId, attemptId, control: null, notBefore: null, failures };
    const message = `${workerName} reconnected with it`;
    await this.changes.changeAndLog(manager, job, 'assigned', { message, patch });
    if (state === 'running') await this.changes.changeAndLog(manager, job, 'running', { message });
    this.queue.changed(manager, job);
    this.log.afterCommit(manager, () => this.counters.add('returned'));
  }
}

/** The claimed attempt, if it is the worker's and the newest of its job. */
async function findNewest(manager: EntityManager, claim: Claim): Promise<Newest | null> {
  const attempt = await readRow(manager, Attempt, claim.attemptId);
  if (attempt?.workerId !== claim.workerId || attempt.number !== claim.token) return null;
  const job = await readRow(manager, Job, attempt.jobId);
  return job?.token === claim.token ? { attempt, job } : null;
}

const isHeld = ({ state }: Attempt): boolean => state === 'assigned' || state === 'running';

/**
 * Tells whether a lost attempt can be reclaimed: its job is still queued since the loss. A job that was stopped and
 * resumed meanwhile, or got other plugins, starts a new attempt.
 */
function isOpen({ state, number, assignedAt }: Attempt, job: Job): boolean {
  if (state !== 'lost' || job.state !== 'queued') return false;
  return job.queuedAt <= assignedAt && job.pluginsSince < number;
}
