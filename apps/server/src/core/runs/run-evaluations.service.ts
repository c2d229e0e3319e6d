/** @file The evaluations of a run's checkpoints. */
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job } from '../database/entities/job.js';
import { finiteOrNull } from '../history/records/stored-record.js';
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
  const numberAt = (name: string, of: unknown = result): number | null => {
    const value = (of as Record<string, unknown> | null)?.[name];
    return typeof value === 'number' ? finiteOrNull(value) : null;
  };
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
    successRate: numberAt('successRate'),
    successLow: numberAt('successLow'),
    successHigh: numberAt('successHigh'),
    rewardMean: numberAt('validation/reward_mean', result?.['metrics']),
  });
}
