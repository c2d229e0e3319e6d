/** @file Jobs and attempts as REST tells them: times as ISO text, nothing internal. */
import { jobNeeds } from '@espalier/protocol';
import { toIsoTime } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { arrayOf, isoTimeOrNull, shapeOf, type Telling, textOrNull, told } from '../http/answer-schema.js';
import { Attempt } from './attempt.entity.js';
import type { ListedJob } from './job-queries.service.js';
import { Job } from './job.entity.js';

const iso = (time: number | null): string | null => (time === null ? null : toIsoTime(time));

export type ToldListedJob = ReturnType<typeof tellListedJob>;
export type ToldJob = ReturnType<typeof tellJob>;

/** Tells a job of a list: what an evaluation found is told of one job only. */
export function tellListedJob(job: ListedJob) {
  const { id, runId, project, kind, state, message, priority, needs, token, crashes, tries } = job;
  return {
    ...{ id, runId, project, kind, state, message, priority, needs, token, crashes, tries },
    ...{ workerId: job.workerId, attemptId: job.attemptId, evaluate: job.evaluate },
    ...{ createdAt: iso(job.createdAt), queuedAt: iso(job.queuedAt), startedAt: iso(job.startedAt) },
    ...{ endedAt: iso(job.endedAt), notBefore: iso(job.notBefore), leaseUntil: iso(job.leaseUntil) },
  };
}

export function tellJob(job: Job) {
  return { ...tellListedJob(job), result: job.result };
}

export function tellAttempt(attempt: Attempt) {
  const { id, number, state, workerId, workerName, host, devices, hardware, pid, startStep, step } = attempt;
  return {
    ...{ id, number, state, workerId, workerName, host, devices, hardware, pid, startStep, step },
    ...{ exitCode: attempt.exitCode, signal: attempt.signal, verdict: attempt.verdict },
    ...{ message: attempt.message, assignedAt: iso(attempt.assignedAt) },
    ...{ startedAt: iso(attempt.startedAt), endedAt: iso(attempt.endedAt) },
  };
}

const evaluation = z.object({
  path: z.string(),
  step: z.int(),
  episodes: z.int(),
  split: z.enum(['validation', 'test']),
});

const asTold: Telling = {
  without: [],
  also: {
    project: shapeOf(z.string()),
    needs: shapeOf(jobNeeds),
    evaluate: shapeOf(evaluation.nullable()),
    leaseUntil: isoTimeOrNull,
  },
};
const attemptAnswer = told(Attempt, {
  without: ['jobId', 'runId', 'versions', 'plugins', 'gitRevision'],
});

/** What REST answers about a job of a list. */
export const listedJobAnswer = told(Job, { ...asTold, name: 'ListedJob', without: ['result'] });
/** What REST answers about a job. */
export const jobAnswer = told(Job, asTold);
/** The same with its attempts. */
export const wholeJobAnswer = told(Job, {
  ...{ ...asTold, name: 'WholeJob' },
  also: { ...asTold.also, whyWaiting: textOrNull, attempts: arrayOf(attemptAnswer) },
});
