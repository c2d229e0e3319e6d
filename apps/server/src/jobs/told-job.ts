/** @file Jobs and attempts as REST tells them: times as ISO text, nothing internal. */
import type { Attempt } from './attempt.entity.js';
import type { Job } from './job.entity.js';

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

export type ToldJob = ReturnType<typeof tellJob>;

export function tellJob(job: Job) {
  const { id, runId, project, kind, state, message, priority, needs, token, crashes, tries } = job;
  return {
    ...{ id, runId, project, kind, state, message, priority, needs, token, crashes, tries },
    ...{ workerId: job.workerId, attemptId: job.attemptId, evaluate: job.evaluate, result: job.result },
    ...{ createdAt: iso(job.createdAt), queuedAt: iso(job.queuedAt), startedAt: iso(job.startedAt) },
    ...{ endedAt: iso(job.endedAt), notBefore: iso(job.notBefore), leaseUntil: iso(job.leaseUntil) },
  };
}

export function tellAttempt(attempt: Attempt) {
  const { id, number, state, workerId, workerName, host, devices, pid, startStep, step } = attempt;
  return {
    ...{ id, number, state, workerId, workerName, host, devices, pid, startStep, step },
    ...{ exitCode: attempt.exitCode, signal: attempt.signal, verdict: attempt.verdict },
    ...{ message: attempt.message, assignedAt: iso(attempt.assignedAt) },
    ...{ startedAt: iso(attempt.startedAt), endedAt: iso(attempt.endedAt) },
  };
}
