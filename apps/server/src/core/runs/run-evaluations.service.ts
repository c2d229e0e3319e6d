/** @file The evaluations of a run's checkpoints. */
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job } from '../database/entities/job.js';
import { columnKey, mapPage, type Page, type PagePart, readPage } from '../database/page.js';

/** An evaluation of a checkpoint: the request, the state of its job, and the result. */
export class Evaluation {
  jobId!: string;
  state!: JobState;
  message!: string;
  step!: number;
  checkpoint!: string;
  split!: string;
  episodes!: number;
  createdAt!: number;
  endedAt!: number | null;
  /** null until it is known, as all below */
  successRate!: number | null;
  successLow!: number | null;
  successHigh!: number | null;
  rewardMean!: number | null;
  /** null: states were played */
  trajectory!: string | null;
}

@Injectable()
export class RunEvaluations {
  constructor(private readonly source: DataSource) {}

  /** A page of them, oldest first. @throws server.invalid_cursor, server.invalid_page */
  async page(runId: string, page: PagePart): Promise<Page<Evaluation>> {
    const query = this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .where(`job.runId = :runId AND job.kind = 'evaluate'`, { runId });
    return mapPage(await readPage(query, page, [columnKey('job', 'id', 'text')]), toEvaluation);
  }
}

function toEvaluation({ id, state, message, createdAt, endedAt, evaluate, result }: Job): Evaluation {
  return Object.assign(new Evaluation(), {
    jobId: id,
    state,
    message,
    createdAt,
    endedAt,
    step: evaluate?.step ?? 0,
    checkpoint: evaluate?.path ?? '',
    split: evaluate?.split ?? 'test',
    episodes: evaluate?.episodes ?? 0,
    successRate: result?.successRate ?? null,
    successLow: result?.successLow ?? null,
    successHigh: result?.successHigh ?? null,
    rewardMean: result?.metrics['validation/reward_mean'] ?? null,
    trajectory: evaluate?.continue?.trajectory ?? null,
  });
}
