/** @file Operations on jobs. The caller checks access. */
import { AppError } from '@espalier/contracts';
import type { ControlMessage } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from '../database/clock.js';
import { Job } from '../database/entities/job.js';
import { hasFinished, JobChanges, unknownJob, wrongState } from './job-changes.js';
import { readPinnedPlugins } from './placement/pinned-plugins.js';
import { JobQueue, queueOf } from './job-queue.js';

@Injectable()
export class JobService {
  constructor(
    private readonly log: RunLog,
    private readonly changes: JobChanges,
    private readonly queue: JobQueue,
    private readonly pool: WorkerPool,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores and queues a new job; its run exists already.
   *
   * @param manager of a `RunLog.write` to do it in; default: one of its own
   */
  async create(job: Job, manager?: EntityManager): Promise<Job> {
    const work = async (own: EntityManager): Promise<Job> => {
      await own.insert(Job, job as never);
      await this.changes.logCreation(own, job);
      this.queue.changed(own, job);
      return job;
    };
    return manager === undefined ? this.log.write({ runId: job.runId }, work) : work(manager);
  }

  /** Requests a save and a stop; a queued job is paused at once. @throws run.wrong_state, server.not_found */
  async pause(jobId: string): Promise<Job> {
    return this.change(jobId, async (manager, job) => {
      if (job.state === 'pausing' || job.state === 'paused') return;
      if (job.state === 'queued') {
        await this.changes.changeAndLog(manager, job, 'paused', { patch: { notBefore: null } });
        this.queue.changed(manager, job);
      } else if (job.state === 'assigned' || job.state === 'running') {
        await this.changes.changeAndLog(manager, job, 'pausing', { patch: { control: 'pause' } });
        this.command(manager, job, 'pause');
      } else throw wrongState(job, 'pause it');
    });
  }

  /**
   * Requeues a stopped job and resets its count of failures.
   *
   * @param acceptPlugins pins the plugins of its next attempt instead; also possible for a queued job
   * @throws run.wrong_state, server.not_found
   */
  async resume(jobId: string, acceptPlugins = false): Promise<Job> {
    return this.change(jobId, async (manager, job) => {
      if (acceptPlugins && job.state === 'queued') return this.acceptPlugins(manager, job);
      if (job.endedAt === null) throw wrongState(job, 'resume it');
      await refuseImported(manager, job);
      if (job.kind === 'train' && job.state === 'finished') throw hasFinished(job);
      const fresh = acceptPlugins
        ? acceptedBy(job)
        : { queue: queueOf(job, await readPinnedPlugins(manager, job)) };
      const patch = { failures: 0, notBefore: null, queuedAt: this.clock.now(), ...fresh };
      await this.changes.changeAndLog(manager, job, 'queued', { patch });
      this.queue.changed(manager, job);
    });
  }

  private async acceptPlugins(manager: EntityManager, job: Job): Promise<void> {
    this.queue.changed(manager, { ...job });
    Object.assign(job, acceptedBy(job));
    await manager.update(Job, { id: job.id }, acceptedBy(job));
    this.queue.changed(manager, job);
    this.changes.announce(manager, job);
  }

  /**
   * Cancels a job, with a save or at once. A job that no worker holds is cancelled at once.
   *
   * @throws run.wrong_state when it has ended otherwise; server.not_found
   */
  async cancel(jobId: string, { now }: { readonly now: boolean }): Promise<Job> {
    return this.change(jobId, async (manager, job) => {
      const control = now ? 'kill' : 'cancel';
      if (job.state === 'cancelled') return;
      if (job.state === 'cancelling') {
        if (!now) return;
        job.control = control;
        await manager.update(Job, { id: job.id }, { control });
        this.command(manager, job, control);
      } else if (job.state === 'queued' || job.state === 'paused') {
        await this.changes.changeAndLog(manager, job, 'cancelled', { patch: { notBefore: null } });
        this.queue.changed(manager, job);
      } else if (job.endedAt === null) {
        await this.changes.changeAndLog(manager, job, 'cancelling', { patch: { control } });
        this.command(manager, job, control);
      } else throw wrongState(job, 'cancel it');
    });
  }

  /**
   * @param priority whole, -100 to 100; higher is scheduled first
   * @param manager of a `RunLog.write` to do it in; default: one of its own. @throws server.not_found
   */
  async setPriority(jobId: string, priority: number, manager?: EntityManager): Promise<Job> {
    const work = async (own: EntityManager, job: Job): Promise<void> => {
      job.priority = priority;
      await own.update(Job, { id: job.id }, { priority });
      if (job.kind === 'train') await own.update(Run, { id: job.runId }, { priority });
      this.queue.changed(own, job);
      this.changes.announce(own, job);
    };
    return manager === undefined ? this.change(jobId, work) : this.changeIn(manager, jobId, work);
  }

  private async change(
    jobId: string,
    work: (manager: EntityManager, job: Job) => Promise<void>,
  ): Promise<Job> {
    return this.log.write({ jobId }, (manager) => this.changeIn(manager, jobId, work));
  }

  private async changeIn(
    manager: EntityManager,
    jobId: string,
    work: (manager: EntityManager, job: Job) => Promise<void>,
  ): Promise<Job> {
    const job = await manager.findOneBy(Job, { id: jobId });
    if (job === null) throw unknownJob(jobId);
    await work(manager, job);
    return job;
  }

  /** Sends a command to the worker after the commit; it is repeated until the worker has followed it. */
  private command(manager: EntityManager, job: Job, action: ControlMessage['action']): void {
    const { attemptId, workerId, token } = job;
    if (attemptId === null || workerId === null) return;
    this.log.afterCommit(manager, () => {
      const allocation = this.pool.allocation(attemptId);
      if (allocation !== undefined) allocation.control = action;
      this.pool.worker(workerId)?.link?.control({ attemptId, token, action });
    });
  }
}

/** The changes to a job whose next attempt may use other plugins. */
const acceptedBy = (job: Job): Pick<Job, 'pluginsSince' | 'queue'> => ({
  pluginsSince: job.token,
  queue: queueOf(job),
});

/** An imported run has nothing here to resume from. */
async function refuseImported(manager: EntityManager, { id, kind, runId }: Job): Promise<void> {
  if (kind !== 'train' || !(await manager.existsBy(Run, { id: runId, imported: true }))) return;
  throw new AppError(
    'run.not_possible',
    `resume job ${id}: run ${runId} was imported; fork it from one of its checkpoints to continue`,
  );
}
