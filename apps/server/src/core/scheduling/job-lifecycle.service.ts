import { isAppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../access/audit.service.js';
import type { Job } from '../database/entities/job.js';
import { JobQueries } from './job-queries.service.js';
import { JobService } from './job.service.js';
import { PluginGuard } from '../plugins/plugin-guard.service.js';

/** What people do to jobs: after a look at what they may see, and with a note in the audit log. */
@Injectable()
export class JobLifecycle {
  constructor(
    private readonly queries: JobQueries,
    private readonly jobs: JobService,
    private readonly audit: AuditService,
    private readonly guard: PluginGuard,
  ) {}

  async pause(caller: Caller, id: string): Promise<Job> {
    return this.perform(caller, id, 'pause', () => this.jobs.pause(id));
  }

  /** @param acceptPlugins go on with those installed now, though they are not those its run was made with */
  async resume(caller: Caller, id: string, acceptPlugins = false): Promise<Job> {
    const action = async ({ kind, runId, endedAt, state }: Job): Promise<Job> => {
      const isOpen = (endedAt !== null && state !== 'finished') || (acceptPlugins && state === 'queued');
      if (kind === 'train' && isOpen) await this.guard.assertUnchanged(runId, acceptPlugins);
      return this.jobs.resume(id, acceptPlugins);
    };
    return this.perform(caller, id, 'resume', action, { acceptPlugins });
  }

  async cancel(caller: Caller, id: string, now: boolean): Promise<Job> {
    return this.perform(caller, id, 'cancel', () => this.jobs.cancel(id, { now }), { now });
  }

  async setPriority(caller: Caller, id: string, priority: number): Promise<Job> {
    return this.perform(caller, id, 'priority', () => this.jobs.setPriority(id, priority), { priority });
  }

  private async perform(
    caller: Caller,
    id: string,
    verb: string,
    action: (job: Job) => Promise<Job>,
    detail: Record<string, unknown> = {},
  ): Promise<Job> {
    const found = await this.queries.find(caller, id);
    try {
      const job = await action(found);
      await this.audit.record(caller, `job.${verb}`, id, 'done', detail);
      return job;
    } catch (error) {
      if (isAppError(error)) await this.audit.record(caller, `job.${verb}`, id, error.code, detail);
      throw error;
    }
  }
}
