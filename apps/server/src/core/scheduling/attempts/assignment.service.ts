/** @file Sends an attempt to its worker, and revokes it if the worker does not accept it. */
import { runLayout } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { readRow } from '../../database/rows.js';
import { Artifact } from '../../database/entities/artifact.js';
import { Run } from '../../database/entities/run.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { Attempt } from '../../database/entities/attempt.js';
import { AttemptService } from './attempt.service.js';
import { Clock } from '../../database/clock.js';
import { Job } from '../../database/entities/job.js';
import { JobCounters } from '../job-counters.js';
import { readPinnedPlugins } from '../placement/pinned-plugins.js';

/** Backoff of a worker that has refused an attempt, ms. */
const backoffMs = 5000;
/** CPU threads per GPU, to prepare its work. */
const threadsPerGpu = 2;
const manifest = `/${runLayout.manifest}`;

@Injectable()
export class AssignmentService {
  private readonly logger = new Logger('assignment');

  constructor(
    private readonly source: DataSource,
    private readonly pool: WorkerPool,
    private readonly attempts: AttemptService,
    private readonly counters: JobCounters,
    private readonly clock: Clock,
  ) {}

  /** Sends an attempt to its worker; never rejects. */
  async deliver(attempt: Attempt): Promise<void> {
    try {
      const link = this.pool.worker(attempt.workerId)?.link;
      const message = await this.build(attempt);
      if (message === null) return await this.attempts.revoke(attempt.id, 'its run was deleted', true);
      if (typeof message === 'string') return await this.attempts.fail(attempt.id, message);
      if (link === undefined || link === null)
        return await this.refuse(attempt, 'the worker disconnected before it received the attempt', true);
      this.counters.add('assigned');
      const answer = await link.assign(message).catch(() => null);
      if (answer === null) await this.refuse(attempt, 'the worker did not accept the attempt in time', false);
      else if (!answer.ok) await this.refuse(attempt, `the worker refused it: ${answer.message}`, true);
    } catch (error) {
      this.logger.warn(`attempt ${attempt.id}: ${String(error)}; its lease will end it`);
    }
  }

  private async refuse(attempt: Attempt, reason: string, isGone: boolean): Promise<void> {
    this.pool.backOff(attempt.workerId, this.clock.steady() + backoffMs);
    await this.attempts.revoke(attempt.id, reason, isGone);
  }

  /** Returns the reason instead if no attempt could run the job; null if its run was deleted. */
  private async build(attempt: Attempt): Promise<Assignment | string | null> {
    const job = await readRow(this.source.manager, Job, attempt.jobId);
    const run = await readRow(this.source.manager, Run, attempt.runId);
    if (job === null || run === null) return null;
    const worker = this.pool.worker(attempt.workerId)?.row;
    const devices = (worker?.devices ?? []).filter(({ id }) => attempt.devices.includes(id));
    const resume = job.kind === 'train' ? await this.newestCheckpoint(run.id) : null;
    // as before this attempt: the first attempt of a job has no pinned plugins
    const plugins = await readPinnedPlugins(this.source.manager, { ...job, token: attempt.number - 1 });
    const fork = resume === null && job.kind === 'train' ? await this.forkOf(run) : null;
    if (typeof fork === 'string') return fork;
    return {
      attemptId: attempt.id,
      token: attempt.number,
      jobId: job.id,
      runId: run.id,
      number: attempt.number,
      kind: job.kind,
      spec: run.spec,
      devices,
      threads: Math.max(
        1,
        devices.reduce((sum, { kind, threads }) => sum + (kind === 'gpu' ? threadsPerGpu : threads), 0),
      ),
      resume,
      fork,
      ...(plugins.length === 0 ? {} : { plugins }),
      evaluate: job.evaluate,
    };
  }

  private async newestCheckpoint(runId: string): Promise<Assignment['resume']> {
    const row = await this.checkpoints(runId).orderBy('artifact.step', 'DESC').limit(1).getOne();
    return row === null ? null : { step: row.step, path: row.path.slice(0, -manifest.length) };
  }

  /** The parent's checkpoint that a fork starts from; a message if it no longer exists. */
  private async forkOf({
    id,
    parentRunId,
    parentStep,
    continues,
  }: Run): Promise<Assignment['fork'] | string> {
    if (parentRunId === null) return null;
    const row = await this.checkpoints(parentRunId)
      .andWhere('artifact.step = :parentStep', { parentStep })
      .limit(1)
      .getOne();
    return row === null
      ? `start run ${id} from step ${parentStep} of run ${parentRunId}: that checkpoint is no longer stored; fork from one that is, or create a new run`
      : { runId: parentRunId, path: row.path.slice(0, -manifest.length), continues };
  }

  /** A checkpoint is complete when its manifest is stored, which is uploaded last. */
  private checkpoints(runId: string) {
    return this.source
      .getRepository(Artifact)
      .createQueryBuilder('artifact')
      .where('artifact."runId" = :runId AND artifact.kind = :kind', { runId, kind: 'checkpoint' })
      .andWhere('artifact.path LIKE :manifest', { manifest: `%${manifest}` });
  }
}
