/** @file Pauses, resumes and cancels runs through their training jobs. */
import { AppError, hasCode, isAppError } from '@espalier/contracts';
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../access/audit.service.js';
import { Job } from '../database/entities/job.js';
import { JobService } from '../scheduling/job.service.js';
import { PluginGuard } from '../plugins/plugin-guard.service.js';
import { RunQueries } from './run-queries.service.js';
import { notPossible, wrongState } from './refusals.js';
import { Run } from '../database/entities/run.js';

@Injectable()
export class RunLifecycle {
  constructor(
    private readonly source: DataSource,
    private readonly queries: RunQueries,
    private readonly jobs: JobService,
    private readonly audit: AuditService,
    private readonly guard: PluginGuard,
  ) {}

  async pause(caller: Caller, runId: string): Promise<Run> {
    return this.perform(caller, 'pause', runId, (job) => this.jobs.pause(job.id));
  }

  /**
   * @param acceptPlugins resume with the plugins installed now, even if it was created with others. @throws
   * plugin.changed
   */
  async resume(caller: Caller, runId: string, acceptPlugins = false): Promise<Run> {
    const operation = async (job: Job): Promise<void> => {
      const { state, endedAt } = job;
      const isOpen = (endedAt !== null && state !== 'finished') || (acceptPlugins && state === 'queued');
      if (isOpen) await this.guard.assertUnchanged(runId, acceptPlugins);
      await this.jobs.resume(job.id, acceptPlugins);
    };
    return this.perform(caller, 'resume', runId, operation, { acceptPlugins });
  }

  /**
   * Ends its training and its evaluations. It succeeds if only evaluations are left to end.
   *
   * @param now ends its process at once instead of after a save
   */
  async cancel(caller: Caller, runId: string, now: boolean): Promise<Run> {
    const { id } = await this.queries.find(caller, runId);
    const ended = await this.cancelEvaluations(id, now);
    try {
      const detail = { now, evaluations: ended };
      return await this.perform(caller, 'cancel', id, (job) => this.jobs.cancel(job.id, { now }), detail);
    } catch (error) {
      const isRefusal = hasCode(error, 'run.wrong_state', 'run.not_possible');
      if (ended.length === 0 || !isRefusal) throw error;
      return this.queries.find(caller, id);
    }
  }

  /** Ends one evaluation; its run continues. @throws server.not_found, run.wrong_state */
  async cancelEvaluation(caller: Caller, runId: string, jobId: string, now: boolean): Promise<Job> {
    const run = await this.queries.find(caller, runId);
    const id = jobId.slice(0, 100);
    const known = await this.source.getRepository(Job).findOneBy({ id, runId: run.id, kind: 'evaluate' });
    if (known === null)
      throw new AppError(
        'server.not_found',
        `cancel evaluation "${id}": run ${run.id} has no such evaluation; list its evaluations to find the id`,
      );
    const detail = { jobId: id, now };
    try {
      const job = await this.jobs.cancel(id, { now });
      await this.audit.record(caller, 'run.cancel-evaluation', run.id, 'done', detail);
      return job;
    } catch (error) {
      if (!hasCode(error, 'run.wrong_state')) throw error;
      await this.audit.record(caller, 'run.cancel-evaluation', run.id, 'run.wrong_state', detail);
      const state = (error.details['state'] ?? known.state) as JobState;
      throw wrongState(`cancel evaluation ${id}: it is ${state}; it has ended already`, state);
    }
  }

  /** Ends evaluations and chats. @returns the ids of the cancelled jobs */
  private async cancelEvaluations(runId: string, now: boolean): Promise<string[]> {
    const found = await this.source.getRepository(Job).findBy({
      runId,
      kind: In(['evaluate', 'chat']),
      state: Not(In(['finished', 'failed', 'cancelled'])),
    });
    const ended: string[] = [];
    for (const { id } of found) {
      try {
        await this.jobs.cancel(id, { now });
        ended.push(id);
      } catch (error) {
        // it has ended meanwhile
        if (!hasCode(error, 'run.wrong_state')) throw error;
      }
    }
    return ended;
  }

  private async perform(
    caller: Caller,
    verb: string,
    runId: string,
    operation: (job: Job) => Promise<unknown>,
    detail: Record<string, unknown> = {},
  ): Promise<Run> {
    const run = await this.queries.find(caller, runId);
    const action = `run.${verb}`;
    const job = await this.findTraining(caller, verb, run, detail);
    try {
      await operation(job);
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === 'plugin.changed')
        await this.audit.record(caller, action, run.id, error.code, detail);
      if (error.code !== 'run.wrong_state') throw error;
      await this.audit.record(caller, action, run.id, 'run.wrong_state', detail);
      const state = (error.details['state'] ?? job.state) as JobState;
      throw wrongState(`${verb} run ${run.id}: ${stateFinding(verb, state)}`, state);
    }
    await this.audit.record(caller, action, run.id, 'done', detail);
    return this.queries.find(caller, run.id);
  }

  /** The newest training of a run. @throws run.not_possible for an imported run */
  async findTraining(caller: Caller, verb: string, run: Run, detail: Record<string, unknown>): Promise<Job> {
    const job = await this.source
      .getRepository(Job)
      .findOne({ where: { runId: run.id, kind: 'train' }, order: { id: 'DESC' } });
    if (job !== null && !run.imported) return job;
    await this.audit.record(caller, `run.${verb}`, run.id, 'run.not_possible', detail);
    throw notPossible(
      run.state === 'importing'
        ? `${verb} run ${run.id}: its import has not ended; run the same import again to complete it, or delete the run`
        : `${verb} run ${run.id}: it was imported; fork it from one of its checkpoints to continue`,
    );
  }
}

function stateFinding(verb: string, state: JobState): string {
  if (verb === 'resume' && state === 'finished') return 'it has finished; fork it to continue';
  return `it is ${state}; ${stateAdvice(verb)}`;
}

function stateAdvice(verb: string): string {
  if (verb === 'resume') return 'only a paused, cancelled or failed run can be resumed';
  return verb === 'pause' ? 'only a queued or running run can be paused' : 'it has ended already';
}
