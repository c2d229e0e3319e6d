/** @file The only place that changes the state of a job, and with it the state of its run. */
import { AppError } from '@espalier/contracts';
import { isTransition, type JobState, stoppedStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { readRow, updateRow } from '../database/rows.js';
import { LiveBus } from '../database/live-bus.js';
import { type NewRecord, RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import { Clock } from '../database/clock.js';
import { Job } from '../database/entities/job.js';

/** Details of a change of state. */
export interface ChangeNotes {
  /** why, in a sentence; default: none */
  readonly message?: string;
  /** other columns that change with it */
  readonly patch?: Partial<Job>;
  /** when it stopped, ms since the epoch; default: now */
  readonly endedAt?: number;
  /** number of the attempt whose event caused it; default 0: the server itself or a user */
  readonly attempt?: number;
}

@Injectable()
export class JobChanges {
  constructor(
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
  ) {}

  /**
   * Moves a job to another state, and its run with it; changes `job` too. The caller appends the record to the run's
   * log; job and run are published after the commit.
   *
   * @throws run.wrong_state when no such move exists
   */
  async change(manager: EntityManager, job: Job, to: JobState, notes: ChangeNotes = {}): Promise<NewRecord> {
    const from = job.state;
    if (!isTransition(from, to)) throw wrongState(job, `move it to "${to}"`);
    const now = this.clock.now();
    const message = notes.message ?? '';
    const patch: Partial<Job> = {
      ...notes.patch,
      state: to,
      message,
      endedAt: stoppedStates.includes(to) ? (notes.endedAt ?? now) : null,
      ...(to === 'assigned' && job.startedAt === null ? { startedAt: now } : {}),
    };
    Object.assign(job, patch);
    await updateRow(manager, Job, job.id, patch);
    if (job.kind === 'train') await this.follow(manager, job, now);
    this.announce(manager, job);
    return this.recordOf(job, from, message, now, notes.attempt ?? 0);
  }

  /** Does the same, and appends the record. */
  async changeAndLog(manager: EntityManager, job: Job, to: JobState, notes: ChangeNotes = {}): Promise<void> {
    const record = await this.change(manager, job, to, notes);
    await this.append(manager, job, record);
  }

  /** The record of a new job. */
  async logCreation(manager: EntityManager, job: Job): Promise<void> {
    const record = this.recordOf(job, null, job.message, this.clock.now(), 0);
    this.announce(manager, job);
    await this.append(manager, job, record);
  }

  /** Publishes a job after the commit, and its run if that changed too. */
  announce(manager: EntityManager, job: Job): void {
    const copy = { ...job };
    this.log.afterCommit(manager, () => this.bus.publish('job', job.id, copy));
  }

  /** Appends the record of a change to the run's log. */
  async append(manager: EntityManager, job: Job, record: NewRecord): Promise<void> {
    const stored = await this.log.append(manager, job.runId, [record]);
    const isAnnounced = job.kind === 'train' && this.bus.hasListeners('run', job.runId);
    const run = isAnnounced ? await readRow(manager, Run, job.runId) : null;
    this.log.afterCommit(manager, () => this.log.publish(stored, run ?? undefined));
  }

  private async follow(manager: EntityManager, job: Job, now: number): Promise<void> {
    const { state, message, endedAt } = job;
    await updateRow(manager, Run, job.runId, { state, message, endedAt });
    if (state === 'running')
      await manager.update(Run, { id: job.runId, startedAt: IsNull() }, { startedAt: now });
  }

  private recordOf(
    job: Job,
    from: JobState | null,
    message: string,
    time: number,
    attempt: number,
  ): NewRecord {
    const body = { from, to: job.state, message, attempt: job.token, jobId: job.id, job: job.kind };
    return { kind: 'state', attempt, step: -1, time, body };
  }
}

/** The operation is not possible in the job's state. */
export function wrongState(job: Pick<Job, 'id' | 'state'>, operation: string): AppError {
  return new AppError(
    'run.wrong_state',
    `job ${job.id}: cannot ${operation} while it is ${job.state}; wait until its state changes, or read its message`,
    { details: { state: job.state } },
  );
}

/** A finished run has nothing left to resume. */
export function hasFinished({ id, state }: Pick<Job, 'id' | 'state'>): AppError {
  return new AppError(
    'run.wrong_state',
    `job ${id}: cannot resume it: its run has finished; fork the run to continue it`,
    { details: { state } },
  );
}

export function unknownJob(jobId: string): AppError {
  return new AppError('server.not_found', `read job "${jobId}": there is no such job; check the id`);
}
