/** @file What people, and the features of the server, do with jobs. Access is checked by who calls. */
import { AppError } from '@espalier/contracts';
import type { AttemptEvent, ControlMessage } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type NewRecord, RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import { WorkerPool } from '../workers/worker-pool.js';
import type { Attempt } from '../database/entities/attempt.js';
import { AttemptService } from './attempt.service.js';
import { Clock } from '../database/clock.js';
import { ExplainService } from './explain.service.js';
import { Job } from '../database/entities/job.js';
import { hasFinished, JobChanges, unknownJob, wrongState } from './job-changes.js';
import { readPinnedPlugins } from './pinned-plugins.js';
import { JobQueue, queueOf } from './job-queue.js';

@Injectable()
export class JobService {
  constructor(
    private readonly log: RunLog,
    private readonly changes: JobChanges,
    private readonly attempts: AttemptService,
    private readonly queue: JobQueue,
    private readonly pool: WorkerPool,
    private readonly explanations: ExplainService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a new job (its run exists) and lets it wait for a place.
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

  /** Asks for a save and a stop; what only waits is paused at once. @throws job.wrong_state, server.not_found */
  async pause(jobId: string): Promise<Job> {
    return this.steer(jobId, async (manager, job) => {
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
   * Lets a resting job wait for a place again, its failures forgotten.
   *
   * @param acceptPlugins it keeps those of its next attempt from then on; a job that waits may be told so, too
   * @throws job.wrong_state, server.not_found
   */
  async resume(jobId: string, acceptPlugins = false): Promise<Job> {
    return this.steer(jobId, async (manager, job) => {
      if (acceptPlugins && job.state === 'queued') return this.acceptPlugins(manager, job);
      if (job.endedAt === null) throw wrongState(job, 'resume it');
      await refuseImported(manager, job);
      if (job.kind === 'train' && job.state === 'finished') throw hasFinished(job);
      const fresh = acceptPlugins
        ? acceptedBy(job)
        : { queue: queueOf(job, await readPinnedPlugins(manager, job)) };
      const counts = { crashes: 0, tries: 0, losses: 0 };
      const patch = { ...counts, notBefore: null, queuedAt: this.clock.now(), ...fresh };
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
   * Ends a job for good: with a save, or at once. What no worker has is cancelled at once.
   *
   * @throws job.wrong_state when it has ended otherwise; server.not_found
   */
  async cancel(jobId: string, { now }: { readonly now: boolean }): Promise<Job> {
    return this.steer(jobId, async (manager, job) => {
      const control = now ? 'kill' : 'cancel';
      if (job.state === 'cancelled') return;
      if (job.state === 'cancelling') {
        if (!now) return;
        job.control = control;
        await manager.update(Job, { id: job.id }, { control });
        this.command(manager, job, control);
      } else if (job.state === 'queued' || job.state === 'paused' || job.state === 'quarantined') {
        await this.changes.changeAndLog(manager, job, 'cancelled', { patch: { notBefore: null } });
        this.queue.changed(manager, job);
      } else if (job.endedAt === null) {
        await this.changes.changeAndLog(manager, job, 'cancelling', { patch: { control } });
        this.command(manager, job, control);
      } else throw wrongState(job, 'cancel it');
    });
  }

  /** @param priority whole, -100 to 100; higher is placed first. @throws server.not_found */
  async setPriority(jobId: string, priority: number): Promise<Job> {
    return this.steer(jobId, async (manager, job) => {
      job.priority = priority;
      await manager.update(Job, { id: job.id }, { priority });
      if (job.kind === 'train') await manager.update(Run, { id: job.runId }, { priority });
      this.queue.changed(manager, job);
      this.changes.announce(manager, job);
    });
  }

  /** Says in a sentence why a job waits, or where it is. @throws server.not_found */
  async explain(jobId: string): Promise<string> {
    return this.explanations.explain(jobId);
  }

  /** What an event of a worker makes of attempt, job and run; called inside the transaction that stores it. */
  async applyEvent(manager: EntityManager, attempt: Attempt, event: AttemptEvent): Promise<NewRecord[]> {
    return this.attempts.applyEvent(manager, attempt, event);
  }

  private async steer(
    jobId: string,
    work: (manager: EntityManager, job: Job) => Promise<void>,
  ): Promise<Job> {
    return this.log.write({ jobId }, async (manager) => {
      const job = await manager.findOneBy(Job, { id: jobId });
      if (job === null) throw unknownJob(jobId);
      await work(manager, job);
      return job;
    });
  }

  /** Tells the worker after the commit; it is told again until it has done it. */
  private command(manager: EntityManager, job: Job, action: ControlMessage['action']): void {
    const { attemptId, workerId, token } = job;
    if (attemptId === null || workerId === null) return;
    this.log.afterCommit(manager, () => {
      const place = this.pool.allocation(attemptId);
      if (place !== undefined) place.control = action;
      this.pool.worker(workerId)?.link?.control({ attemptId, token, action });
    });
  }
}

/** What changes of a job whose next attempt may have other plugins than those before it. */
const acceptedBy = (job: Job): Pick<Job, 'pluginsSince' | 'queue'> => ({
  pluginsSince: job.token,
  queue: queueOf(job),
});

/** What trained elsewhere has nothing here to go on with. */
async function refuseImported(manager: EntityManager, { id, kind, runId }: Job): Promise<void> {
  if (kind !== 'train' || !(await manager.existsBy(Run, { id: runId, imported: true }))) return;
  throw new AppError(
    'run.not_possible',
    `resume job ${id}: run ${runId} was made without this server and imported; fork it from one of its checkpoints to go on`,
  );
}
