import { jobStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from './clock.js';
import { explainWait } from './explain-wait.js';
import { Job } from './job.entity.js';
import { unknownJob } from './job-changes.js';
import { KeyQuotas } from './key-quotas.js';
import { Tickets } from './tickets.js';

/** up to so many jobs are counted one by one; for more the whole order is read once */
const fewJobs = 4;

/** Gathers the facts for `explainWait`. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly source: DataSource,
    private readonly pool: WorkerPool,
    private readonly tickets: Tickets,
    private readonly quotas: KeyQuotas,
    private readonly clock: Clock,
  ) {}

  /** @throws server.not_found */
  async explain(jobId: string): Promise<string> {
    const job = await this.source.getRepository(Job).findOneBy({ id: jobId });
    if (job === null) throw unknownJob(jobId);
    return this.tell(job, await this.tickets.before(job));
  }

  /** Explains many at once; unknown ones are left out. */
  async explainAll(jobIds: readonly string[]): Promise<Map<string, string>> {
    const jobs = await this.source.getRepository(Job).findBy({ id: In([...jobIds]) });
    const places = jobs.length > fewJobs ? await this.tickets.places() : undefined;
    const told = new Map<string, string>();
    for (const job of jobs)
      told.set(job.id, await this.tell(job, places?.get(job.id) ?? (await this.tickets.before(job))));
    return told;
  }

  private async tell(job: Job, before: number): Promise<string> {
    if (job.state !== 'queued') return `It does not wait: ${job.state}, ${jobStates[job.state]}.`;
    const limit = await this.quotas.limitOf(job.createdBy);
    const isResting = job.notBefore !== null && job.notBefore > this.clock.now();
    return explainWait({
      needs: job.needs,
      workers: this.pool.connected().map((worker) => ({
        ...{ name: worker.row.name, labels: worker.row.labels, devices: worker.row.devices },
        ...{ free: this.pool.freeOf(worker), isDraining: worker.row.draining },
      })),
      before,
      quota:
        limit === null
          ? null
          : { key: job.createdBy, running: this.quotas.runningOf(job.createdBy, this.pool), limit },
      rest: isResting ? { until: new Date(job.notBefore ?? 0).toISOString(), reason: job.message } : null,
    });
  }
}
