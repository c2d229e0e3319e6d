import { jobStates, listPluginConflicts, type PluginVersion } from '@espalier/protocol';
import { toIsoTime } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { LaunchTable } from '../launchers/launch-table.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from '../database/clock.js';
import { explainWait, type WaitContext, type WaitWorker } from './explain-wait.js';
import { Job } from '../database/entities/job.js';
import { unknownJob } from './job-changes.js';
import { isReserved } from './placement/choose-reserved-slot.js';
import { ReservedDevices } from './placement/reserved-devices.js';
import { readPinnedPlugins } from './placement/pinned-plugins.js';
import { JobQueue } from './job-queue.js';
import { ConcurrencyLimits } from './concurrency-limits.js';

/** positions are queried one by one up to this many jobs; beyond, the order is read once */
const fewJobs = 4;

/** Gathers the context of `explainWait`. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly source: DataSource,
    private readonly pool: WorkerPool,
    private readonly queue: JobQueue,
    private readonly concurrency: ConcurrencyLimits,
    private readonly reservedDevices: ReservedDevices,
    private readonly clock: Clock,
    private readonly launches: LaunchTable,
  ) {}

  /** Never names jobs of other projects. @throws server.not_found */
  async explain(jobId: string): Promise<string> {
    const job = await this.source.getRepository(Job).findOneBy({ id: jobId });
    if (job === null) throw unknownJob(jobId);
    return this.explainJob(job, await this.queue.countBefore(this.source.manager, job));
  }

  /** Explains many at once; unknown ones are left out. */
  async explainAll(jobIds: readonly string[]): Promise<Map<string, string>> {
    const jobs = await this.source.getRepository(Job).findBy({ id: In([...jobIds]) });
    const reservations = jobs.length > fewJobs ? await this.queue.positions(this.source.manager) : undefined;
    const explanations = new Map<string, string>();
    for (const job of jobs)
      explanations.set(
        job.id,
        await this.explainJob(
          job,
          reservations?.get(job.id) ?? (await this.queue.countBefore(this.source.manager, job)),
        ),
      );
    return explanations;
  }

  private async explainJob(job: Job, before: number): Promise<string> {
    if (job.state !== 'queued') return `It is not queued: ${job.state}, ${jobStates[job.state]}.`;
    await this.concurrency.refresh();
    const limit = this.concurrency.limitOf(job.createdBy);
    const workers = await this.workersFor(job, await readPinnedPlugins(this.source.manager, job));
    const isBackingOff = job.notBefore !== null && job.notBefore > this.clock.now();
    return explainWait({
      needs: job.needs,
      acceptance: acceptanceOf(job),
      workers,
      reserved: this.reservedFor(job),
      before,
      quota: limit === null ? null : { running: this.concurrency.runningOf(job.createdBy), limit },
      launch: this.launches.explain(job.needs, job.project, new Set(workers.map(({ name }) => name))),
      backoff: isBackingOff ? { until: toIsoTime(job.notBefore ?? 0), reason: job.message } : null,
    });
  }

  private reservedFor({ id, needs }: Job): WaitContext['reserved'] {
    const own = this.reservedDevices.reservationOf(id);
    const worker = own === undefined ? undefined : this.pool.worker(own.workerId);
    if (own === undefined || worker === undefined) return null;
    const free = this.pool.freeOf(worker).filter((device) => isReserved(own, worker.row.id, device)).length;
    return { worker: worker.row.name, free: Math.min(free, needs.count) };
  }

  /**
   * Workers as this job sees them: devices reserved for jobs ahead of it are not free. Jobs of other projects are not
   * named.
   */
  private async workersFor(job: Job, plugins: readonly PluginVersion[]): Promise<WaitWorker[]> {
    const reservations = this.reservedDevices.before(job);
    const named = await this.ofProject(
      job.project,
      reservations.map(({ head }) => head.id),
    );
    return this.pool.connected().map((worker) => {
      const { id, name, labels, devices, draining: isDraining } = worker.row;
      const isSilent = worker.isSuspended;
      const idle = this.pool.freeOf(worker);
      const own = reservations.filter(({ workerId }) => workerId === id);
      const reservedIdle = idle.filter((device) =>
        own.some((reservation) => isReserved(reservation, id, device)),
      );
      const free = idle.filter((device) => !reservedIdle.includes(device));
      const [first] = own;
      const firstId = first !== undefined && named.has(first.head.id) ? first.head.id : null;
      const reserved = first === undefined ? null : { jobId: firstId, devices: reservedIdle };
      const conflicts = listPluginConflicts(plugins, worker.plugins);
      return { name, labels, devices, free, reserved, isDraining, isSilent, conflicts };
    });
  }

  private async ofProject(project: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.source
      .getRepository(Job)
      .find({ where: { id: In([...ids]), project }, select: { id: true } });
    return new Set(rows.map(({ id }) => id));
  }
}

/** What else a user may do about a job that no worker has the plugins for; an evaluation starts over. */
const acceptanceOf = ({ runId, kind }: Job): string =>
  kind === 'train'
    ? `let it resume with other plugins: \`espalier run resume ${runId} --accept-plugins\``
    : `cancel this evaluation (cancelEvaluation) and queue it again: \`espalier run evaluate ${runId}\``;
