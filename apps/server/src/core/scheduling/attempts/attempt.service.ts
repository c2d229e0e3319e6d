/** @file The lifecycle of an attempt: assigned, started, ended or lost, and what that means for its job. */
import { type AttemptEvent, classifyExit } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { createId } from '../../database/create-id.js';
import { insertRow, readRow, readRowOrFail, updateRow } from '../../database/rows.js';
import { runSql } from '../../database/run-sql.js';
import { type NewRecord, RunLog } from '../../database/run-log.js';
import { Run } from '../../database/entities/run.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import { alertFailure, gatherEvidence, hasAdvanced } from './attempt-evidence.js';
import { describeDevices } from '../../database/entities/attempt-device.js';
import { Attempt } from '../../database/entities/attempt.js';
import type { Slot } from '../placement/choose-slot.js';
import { Clock } from '../../database/clock.js';
import { decideAfterExit, decideAfterLoss, type Decision } from './decide-after-exit.js';
import { Job } from '../../database/entities/job.js';
import { JobChanges } from '../job-changes.js';
import { JobCounters } from '../job-counters.js';
import { JobQueue, queueOf } from '../job-queue.js';
import { alertPluginChange, readPinnedPlugins } from '../placement/pinned-plugins.js';
import { LeaseTable } from './lease-table.js';
import { newAttempt } from '../new-job.js';

type Started = Extract<AttemptEvent, { kind: 'process-started' }>;
type Ended = Extract<AttemptEvent, { kind: 'process-ended' }>;

/** How an attempt was lost. */
export interface Loss {
  readonly reason: string;
  /** the worker reported that no process is left, so its devices are free */
  readonly isGone: boolean;
  /** the job may be the cause */
  readonly isCounted: boolean;
}

@Injectable()
export class AttemptService {
  constructor(
    private readonly changes: JobChanges,
    private readonly queue: JobQueue,
    private readonly pool: WorkerPool,
    private readonly leases: LeaseTable,
    private readonly counters: JobCounters,
    private readonly log: RunLog,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Creates an attempt at a queued job. Inside a write; its devices are allocated at once. */
  async assign(manager: EntityManager, job: Job, slot: Slot): Promise<Attempt> {
    const now = this.clock.now();
    const worker = this.pool.worker(slot.workerId)?.row;
    const attempt = newAttempt({
      id: createId('attempt', now),
      jobId: job.id,
      runId: job.runId,
      number: job.token + 1,
      workerId: slot.workerId,
      workerName: worker?.name ?? '',
      host: worker?.host ?? null,
      devices: slot.devices.map(({ id }) => id),
      assignedAt: now,
      hardware: describeDevices(slot.devices),
    });
    this.pool.allocate({
      attemptId: attempt.id,
      token: attempt.number,
      workerId: slot.workerId,
      devices: attempt.devices,
      createdBy: job.createdBy,
      isOrphan: false,
      control: null,
    });
    // No worker knows the attempt. If the commit succeeded nonetheless, its lease expires and the job is requeued.
    this.log.afterFailure(manager, () => this.pool.release(attempt.id));
    this.leases.renew(attempt.id);
    await insertRow(manager, Attempt, attempt);
    await this.changes.changeAndLog(manager, job, 'assigned', {
      message: `assigned to ${attempt.workerName}`,
      patch: {
        token: attempt.number,
        workerId: slot.workerId,
        attemptId: attempt.id,
        control: null,
        notBefore: null,
      },
    });
    this.queue.changed(manager, job);
    return attempt;
  }

  /**
   * Marks an attempt as lost because its worker is silent or does not have it; the job is queued again. No effect if
   * the attempt is over already.
   *
   * @param isMeant checked again inside the write
   */
  async lose(attemptId: string, loss: Loss, isMeant = () => true): Promise<boolean> {
    return this.log.write({ attemptId }, async (manager) => {
      const found = await this.heldBy(manager, attemptId);
      if (found === null || !isMeant()) return false;
      await this.recordLoss(manager, found.attempt, found.job, loss);
      return true;
    });
  }

  /** Marks an attempt as lost whose lease has expired, unless it is renewed before the write. */
  async expire(attemptId: string): Promise<void> {
    const reason = `no heartbeat for ${this.leases.leaseMs / 1000} s`;
    const isOver = (): boolean => this.leases.isOver(attemptId);
    const workerId = this.pool.allocation(attemptId)?.workerId;
    const isCounted = this.pool.hasVanished(workerId);
    // before the write: otherwise the job would be assigned to the same silent worker again
    this.pool.suspendIfSilent(workerId, this.clock.now() - this.leases.leaseMs);
    if (await this.lose(attemptId, { reason, isGone: false, isCounted }, isOver))
      this.counters.add('expired');
    // over already, or never stored
    else if (isOver()) this.free(attemptId, this.pool.allocation(attemptId)?.isOrphan !== true);
  }

  /** Revokes an attempt that a worker did not accept, unless its process has started nonetheless. */
  async revoke(attemptId: string, reason: string, isGone: boolean): Promise<void> {
    await this.log.write({ attemptId }, async (manager) => {
      const found = await this.heldBy(manager, attemptId);
      if (found?.attempt.state === 'assigned')
        await this.recordLoss(manager, found.attempt, found.job, { reason, isGone, isCounted: false });
    });
  }

  /** Ends an attempt that was not sent to a worker, and fails its job: every retry would fail the same way. */
  async fail(attemptId: string, message: string): Promise<void> {
    await this.log.write({ attemptId }, async (manager) => {
      const found = await this.heldBy(manager, attemptId);
      if (found?.attempt.state !== 'assigned') return;
      const { job } = found;
      const over = {
        state: 'ended' as const,
        verdict: 'refused' as const,
        endedAt: this.clock.now(),
        message,
      };
      await updateRow(manager, Attempt, attemptId, over);
      const to = job.state === 'cancelling' ? 'cancelled' : 'failed';
      await this.changes.changeAndLog(manager, job, to, { message, patch: released });
      if (to === 'failed') await alertFailure(this.log, manager, job, this.clock.now());
      this.log.afterCommit(manager, () => this.free(attemptId, true));
    });
  }

  /** Applies an event of a worker to attempt, job and run. Inside the transaction that stores it. */
  async applyEvent(manager: EntityManager, attempt: Attempt, event: AttemptEvent): Promise<NewRecord[]> {
    if (event.kind === 'process-started') return this.start(manager, attempt, event);
    if (event.kind === 'process-ended') return this.finish(manager, attempt, event);
    if (event.kind === 'evaluated') {
      await manager.update(Job, { id: attempt.jobId }, { result: event.result });
      const job = await manager.findOneByOrFail(Job, { id: attempt.jobId });
      this.changes.announce(manager, job);
    }
    return [];
  }

  private async start(manager: EntityManager, attempt: Attempt, event: Started): Promise<NewRecord[]> {
    const { pid, host, versions, plugins, gitRevision } = event;
    const patch = { state: 'running' as const, pid, host, versions, plugins, gitRevision };
    Object.assign(attempt, patch, { startedAt: event.time });
    await updateRow(manager, Attempt, attempt.id, { ...patch, startedAt: event.time });
    const job = await readRowOrFail(manager, Job, attempt.jobId);
    if (job.kind === 'train')
      await this.recordOrigin(manager, job.runId, { host, versions, plugins, gitRevision });
    const changed = await alertPluginChange(this.log, manager, attempt, Math.round(event.time));
    if (job.state !== 'assigned') return changed;
    const message = `on ${attempt.workerName}`;
    return [
      await this.changes.change(manager, job, 'running', { message, attempt: attempt.number }),
      ...changed,
    ];
  }

  /** The origin of a run is that of its first attempt. */
  private async recordOrigin(manager: EntityManager, id: string, reason: Partial<Run>): Promise<void> {
    const columns = 'host, versions, plugins, "gitRevision"';
    const [run] = await runSql(manager, `SELECT ${columns} FROM run WHERE id = ?`, [id]);
    const fresh = Object.entries(reason).filter(([name]) => run?.[name] === null);
    await updateRow(manager, Run, id, Object.fromEntries(fresh));
  }

  private async finish(manager: EntityManager, attempt: Attempt, event: Ended): Promise<NewRecord[]> {
    const verdict = classifyExit(event.code, event.signal);
    const { code: exitCode, signal, message } = event;
    const patch = { state: 'ended' as const, exitCode, signal, verdict, message, endedAt: event.time };
    Object.assign(attempt, patch);
    await updateRow(manager, Attempt, attempt.id, patch);
    const job = await readRowOrFail(manager, Job, attempt.jobId);
    const decision = decideAfterExit(job, verdict, message, this.options, {
      hasAdvanced: await hasAdvanced(manager, attempt),
      isRequested: event.asked === 'pause' || event.asked === 'drain',
      isDrained: event.asked === 'drain',
      isFinal: event.isFinal === true,
      isPaused: event.isPaused === true,
      lacksPlugins: event.lacksPlugins === true,
    });
    const records = [await this.settle(manager, job, decision, attempt.number)];
    this.log.afterCommit(manager, () => this.free(attempt.id, true));
    return records;
  }

  private async settle(
    manager: EntityManager,
    job: Job,
    decision: Decision,
    number: number,
  ): Promise<NewRecord> {
    const { to, failures, backoffMs } = decision;
    const message = to === 'failed' ? await gatherEvidence(manager, job, decision) : decision.message;
    const notBefore = backoffMs > 0 ? this.clock.now() + backoffMs : null;
    const queue = to === 'queued' ? { queue: queueOf(job, await readPinnedPlugins(manager, job)) } : {};
    const record = await this.changes.change(manager, job, to, {
      message,
      attempt: number,
      patch: { ...released, ...queue, failures, notBefore },
    });
    this.queue.changed(manager, job);
    if (to === 'failed') await alertFailure(this.log, manager, job, this.clock.now());
    return record;
  }

  private async recordLoss(
    manager: EntityManager,
    attempt: Attempt,
    job: Job,
    { reason, isGone, isCounted }: Loss,
  ): Promise<void> {
    const endedAt = this.clock.now();
    await updateRow(manager, Attempt, attempt.id, { state: 'lost', endedAt, message: reason });
    const message = `attempt ${attempt.number} on ${attempt.workerName}: ${reason}`;
    const outcome = { hasAdvanced: await hasAdvanced(manager, attempt), isCounted };
    const decision = decideAfterLoss(job, message, this.options, outcome);
    await this.changes.append(manager, job, await this.settle(manager, job, decision, 0));
    this.log.afterCommit(manager, () => this.free(attempt.id, isGone));
  }

  private free(attemptId: string, isGone: boolean): void {
    this.leases.end(attemptId);
    if (isGone) this.pool.release(attemptId);
    else this.pool.orphan(attemptId);
  }

  private async heldBy(
    manager: EntityManager,
    attemptId: string,
  ): Promise<{ attempt: Attempt; job: Job } | null> {
    const attempt = await readRow(manager, Attempt, attemptId);
    if (attempt === null || (attempt.state !== 'assigned' && attempt.state !== 'running')) return null;
    const job = await readRow(manager, Job, attempt.jobId);
    return job?.token === attempt.number ? { attempt, job } : null;
  }
}

const released = { workerId: null, control: null };
