/** @file Access to the artifacts of a run: keys of its project, and the worker that holds an attempt. */
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, visibleOrFail } from '../access/caller.js';
import { readRow } from '../database/rows.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { Run } from '../database/entities/run.js';
import { Worker } from '../database/entities/worker.js';

/** Its job waits, and no other attempt has begun at it. */
const isNewestOfJob = `job.state = 'queued' AND job.token = attempt.number`;

@Injectable()
export class ArtifactAccess {
  constructor(private readonly source: DataSource) {}

  /**
   * A worker reads the runs it holds an attempt of, and those they were forked from; also while one that it lost by its
   * silence may be its own again: what it is told then it would take for the end of the attempt.
   *
   * @throws server.not_found
   */
  async checkRead(caller: Caller, runId: string): Promise<void> {
    const run = await this.source.getRepository(Run).findOneBy({ id: runId });
    const isHidden = caller.role === 'worker' && !(await this.holds(caller, runId));
    visibleOrFail(caller, isHidden ? null : run, `run "${runId.slice(0, 100)}"`);
  }

  /** A worker writes for its own attempts; a person only into runs that are being imported. @throws worker.fenced, access.denied, run.wrong_state */
  async checkWrite(caller: Caller, runId: string, attemptId: string): Promise<void> {
    if (caller.role !== 'worker') {
      const run = await this.source.getRepository(Run).findOneBy({ id: runId });
      const { imported, state } = visibleOrFail(caller, run, `run "${runId.slice(0, 100)}"`);
      if (imported && state === 'importing') return;
      if (imported)
        throw new AppError(
          'run.wrong_state',
          `store an artifact of run ${runId}: its import has ended as ${state}, and what was imported stays as it is`,
        );
      throw new AppError(
        'access.denied',
        `store an artifact of run ${runId}: only its worker may; a person may while a run is imported`,
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
      .andWhere('(run.id = :runId OR run.parentRunId = :runId)', { runId })
      .limit(1)
      .getMany();
    return found.length > 0;
  }
}
