/** @file Access to the artifacts of a run: keys of its project, and the worker that holds an attempt. */
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, visibleOrFail } from '../access/caller.js';
import { runSql } from '../database/run-sql.js';
import { readRow } from '../database/rows.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { Run } from '../database/entities/run.js';
import { Worker } from '../database/entities/worker.js';

/** The job is queued, and no later attempt has started. */
const isNewestOfJob = `job.state = 'queued' AND job.token = attempt.number`;

@Injectable()
export class ArtifactAccess {
  constructor(private readonly source: DataSource) {}

  /**
   * A worker may read the runs of its attempts, their parents, and of forks that continue what these started from. That includes a lost attempt that it may
   * reclaim, as it would end the attempt if it were refused.
   *
   * @throws server.not_found
   */
  async checkRead(caller: Caller, runId: string): Promise<void> {
    const run = await this.source.getRepository(Run).findOneBy({ id: runId });
    const isHidden = caller.role === 'worker' && !(await this.holds(caller, runId));
    visibleOrFail(caller, isHidden ? null : run, `run "${runId.slice(0, 100)}"`);
  }

  /** A worker may write for its own attempts, a user into runs that are being imported. @throws worker.fenced, access.denied, run.wrong_state */
  async checkWrite(caller: Caller, runId: string, attemptId: string): Promise<void> {
    if (caller.role !== 'worker') {
      const run = await this.source.getRepository(Run).findOneBy({ id: runId });
      const { imported, state } = visibleOrFail(caller, run, `run "${runId.slice(0, 100)}"`);
      if (imported && state === 'importing') return;
      if (imported)
        throw new AppError(
          'run.wrong_state',
          `store an artifact of run ${runId}: its import has ended as ${state}, and an imported run cannot be changed`,
        );
      throw new AppError(
        'access.denied',
        `store an artifact of run ${runId}: only its worker may; a user may while the run is being imported`,
      );
    }
    const { manager } = this.source;
    const attempt = await readRow(manager, Attempt, attemptId);
    const worker = attempt?.runId === runId ? await readRow(manager, Worker, attempt.workerId) : null;
    if (worker?.keyId === caller.keyId) return;
    throw new AppError(
      'worker.fenced',
      `store an artifact of run ${runId}: attempt "${attemptId.slice(0, 100)}" is not of a worker with this key; end its process and send nothing more`,
    );
  }

  private async holds(caller: Caller, runId: string): Promise<boolean> {
    const started = await this.listStarted(runId);
    const found = await this.source
      .getRepository(Attempt)
      .createQueryBuilder('attempt')
      .innerJoin(Worker, 'worker', 'worker.id = attempt.workerId')
      .innerJoin(Run, 'run', 'run.id = attempt.runId')
      .innerJoin(Job, 'job', 'job.id = attempt.jobId')
      .where('worker.keyId = :keyId', { keyId: caller.keyId })
      .andWhere(`(attempt.state IN (:...states) OR (attempt.state = 'lost' AND ${isNewestOfJob}))`, {
        states: ['assigned', 'running'],
      })
      .andWhere('run.id IN (:...runIds)', { runIds: [runId, ...started] })
      .limit(1)
      .getMany();
    return found.length > 0;
  }

  /** Runs that began from a run: its forks, and forks of those that continue, which began with the same model. */
  private async listStarted(runId: string): Promise<string[]> {
    const found = await runSql<{ id: string }>(
      this.source.manager,
      `WITH RECURSIVE started(id) AS (
         SELECT id FROM run WHERE "parentRunId" = ?
         UNION SELECT run.id FROM run JOIN started ON run."parentRunId" = started.id WHERE run.continues
       ) SELECT id FROM started`,
      [runId],
    );
    return found.map(({ id }) => id);
  }
}
