/** @file Jobs and attempts as plain data: times as ISO text, nothing internal. */
import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { stepOrNull } from '../database/columns.js';
import type { Attempt } from '../database/entities/attempt.js';
import type { Job } from '../database/entities/job.js';
import type { ListedJob } from './job-queries.service.js';

export type ListedJobDto = ReturnType<typeof toListedJobDto>;
export type JobDto = ReturnType<typeof toJobDto>;

/** A job of a list, without the result of an evaluation. */
export function toListedJobDto(job: ListedJob) {
  const { id, runId, project, kind, state, message, priority, needs, token, crashes, tries } = job;
  return {
    id,
    runId,
    project,
    kind,
    state,
    message,
    priority,
    needs,
    token,
    crashes,
    tries,
    workerId: job.workerId,
    attemptId: job.attemptId,
    evaluate: job.evaluate,
    createdAt: toIsoTimeOrNull(job.createdAt),
    queuedAt: toIsoTimeOrNull(job.queuedAt),
    startedAt: toIsoTimeOrNull(job.startedAt),
    endedAt: toIsoTimeOrNull(job.endedAt),
    notBefore: toIsoTimeOrNull(job.notBefore),
  };
}

export function toJobDto(job: Job) {
  return { ...toListedJobDto(job), result: job.result };
}

export function toAttemptDto(attempt: Attempt) {
  const { id, number, state, workerId, workerName, host, devices, hardware, pid, startStep } = attempt;
  return {
    id,
    number,
    state,
    workerId,
    workerName,
    host,
    devices,
    hardware,
    pid,
    startStep,
    step: stepOrNull(attempt.step),
    exitCode: attempt.exitCode,
    signal: attempt.signal,
    verdict: attempt.verdict,
    message: attempt.message,
    assignedAt: toIsoTimeOrNull(attempt.assignedAt),
    startedAt: toIsoTimeOrNull(attempt.startedAt),
    endedAt: toIsoTimeOrNull(attempt.endedAt),
  };
}
