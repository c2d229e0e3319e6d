/** @file Starts workers where jobs wait, and stops those that are idle. Nothing happens without a launcher in the settings. */
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../database/clock.js';
import { repeat } from '../database/repeat.js';
import { Job } from '../database/entities/job.js';
import { LaunchedWorker } from '../database/entities/launched-worker.js';
import { Worker } from '../database/entities/worker.js';
import { LaunchTable } from '../launchers/launch-table.js';
import { ConcurrencyLimits } from '../scheduling/concurrency-limits.js';
import { JobQueue } from '../scheduling/job-queue.js';
import { ReservedDevices } from '../scheduling/placement/reserved-devices.js';
import { WorkerCleanup } from '../workers/worker-cleanup.service.js';
import { LaunchedWorkers } from './launched-workers.js';
import { planLaunches, type WaitingJob } from './plan-launches.js';

const tickMs = 500;
/** jobs looked at in one pass, first in the queue */
const maxWaiting = 500;
/** interval in ticks at which workers that are over leave the list of workers */
const forgetTicks = 20;
const forgottenAtOnce = 50;
/** ended workers are listed this long */
const keptMs = 7 * 86_400_000;

@Injectable()
export class ScalingService implements OnModuleDestroy {
  private readonly logger = new Logger('launchers');
  private stop = (): Promise<void> => Promise.resolve();
  private ticks = 0;
  private port = 0;

  constructor(
    private readonly source: DataSource,
    private readonly table: LaunchTable,
    private readonly workers: LaunchedWorkers,
    private readonly queue: JobQueue,
    private readonly reserved: ReservedDevices,
    private readonly concurrency: ConcurrencyLimits,
    private readonly cleanup: WorkerCleanup,
    private readonly clock: Clock,
  ) {}

  /** Begins, once workers can connect. @param port that the server listens on, for workers on this machine */
  async start(port: number): Promise<void> {
    await this.table.load();
    for (const { name, launcher } of this.table.abandoned())
      this.logger.warn(
        `the launched worker ${name} is neither observed nor stopped: its launcher "${launcher}" is not in the settings any more; put it back until its workers have ended`,
      );
    if (this.table.launchers().length === 0) return;
    this.port = port;
    this.stop = repeat(
      () => this.tick(),
      tickMs,
      (error) => this.logger.warn(`scaling failed: ${String(error)}`),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await this.workers.settle();
  }

  private async tick(): Promise<void> {
    this.ticks += 1;
    this.workers.poll();
    await this.workers.advance();
    const { launches, unneeded } = await this.plan();
    for (const { launcher, project } of launches) await this.workers.launch(launcher, project, this.port);
    for (const name of unneeded) await this.workers.withdraw(name);
    if (this.ticks % forgetTicks === 0) await this.forgetEnded();
  }

  private async plan() {
    await this.concurrency.refresh();
    return planLaunches({
      launchers: this.table.launchers().map((status) => ({
        options: status.options,
        isClosed: !status.isObserved || status.problem !== '' || this.table.isBackingOff(status),
        workers: this.table.workers(status.options.name).map(({ name, project, state }) => ({
          name,
          project,
          isComing: state === 'starting' || state === 'pending' || state === 'running',
          isLeaving: state === 'draining' || state === 'stopping',
        })),
      })),
      free: this.reserved.freeWorkers(),
      waiting: await this.readWaiting(),
      quotaOf: (createdBy) => {
        const limit = this.concurrency.limitOf(createdBy);
        return limit === null ? null : limit - this.concurrency.runningOf(createdBy);
      },
    });
  }

  /** Jobs that could run now. The heads of the queues are in memory: where there is none, nothing is read. */
  private async readWaiting(): Promise<WaitingJob[]> {
    if ((await this.queue.inOrder()).length === 0) return [];
    return this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .select(['job.id', 'job.project', 'job.needs', 'job.createdBy'])
      .where(`job.state = 'queued' AND COALESCE(job."notBefore", 0) <= :now`, { now: this.clock.now() })
      .orderBy({ 'job.priority': 'DESC', 'job.queuedAt': 'ASC', 'job.id': 'ASC' })
      .limit(maxWaiting)
      .getMany();
  }

  /** Removes workers that are over from the list of workers, which would fill with names that never return. */
  private async forgetEnded(): Promise<void> {
    const rows = this.source.getRepository(LaunchedWorker);
    const ended = rows
      .createQueryBuilder('launched')
      .select('launched.name')
      .where(`launched.state = 'ended'`);
    const gone = await this.source
      .getRepository(Worker)
      .createQueryBuilder('worker')
      .where('worker.online = :online', { online: false })
      .andWhere(`worker.name IN (${ended.getQuery()})`)
      .limit(forgottenAtOnce)
      .getMany();
    // one whose attempt has not been given up yet stays until then
    for (const { id } of gone) await this.cleanup.forget(id).catch(() => undefined);
    await this.table.deleteEndedBefore(this.clock.now() - keptMs);
  }
}
