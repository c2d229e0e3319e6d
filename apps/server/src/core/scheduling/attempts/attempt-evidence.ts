/** @file Evidence from the attempts of a job: whether one made progress, and their last messages. */
import type { WarningCode } from '@espalier/contracts';
import { excerpt } from '@espalier/protocol';
import { lastStepBefore } from '../../history/metrics/last-steps.js';
import { type EntityManager, LessThan } from 'typeorm';
import type { RunLog } from '../../database/run-log.js';
import { newAlert } from '../../history/alerts/alert.service.js';
import { Attempt } from '../../database/entities/attempt.js';
import type { Job } from '../../database/entities/job.js';

/** Returns whether an attempt completed a step that no earlier attempt had completed. */
export async function hasAdvanced(manager: EntityManager, attempt: Attempt): Promise<boolean> {
  const { jobId, number, step, startStep } = attempt;
  if (step <= lastStepBefore(startStep ?? 0)) return false;
  const before = await manager.maximum(Attempt, 'step', { jobId, number: LessThan(number) });
  return before === null || step > before;
}

/** Appends the last messages of the attempts that crashed or were lost. */
export async function gatherEvidence(
  manager: EntityManager,
  job: Job,
  message: string,
  count: number,
): Promise<string> {
  const last = await manager.find(Attempt, {
    where: [
      { jobId: job.id, verdict: 'crashed' as const },
      { jobId: job.id, state: 'lost' as const },
    ],
    order: { number: 'DESC' as const },
    take: count,
  });
  const messages = last.map(({ number, workerName, state, signal, exitCode, message: own }) => {
    const exit = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
    return `attempt ${number} on ${workerName} (${state === 'lost' ? 'lost' : exit}): ${excerpt(own, 2000)}`;
  });
  return [message, ...messages].join('\n').slice(0, 20_000);
}

/** Stores the alert about a job that failed or was quarantined; a failed chat says so to whoever waits for it. */
export async function alertEnd(log: RunLog, manager: EntityManager, job: Job, now: number): Promise<void> {
  const { state, kind, runId, project } = job;
  if (state === 'failed' && kind === 'chat') return;
  const [code, message]: [WarningCode, string] =
    state === 'failed' ? ['job.failed', describeFailure(job)] : ['job.quarantined', describeQuarantine(job)];
  await log.storeAlerts(manager, [newAlert({ runId, project, code, message, time: now })]);
}

const describeFailure = ({ kind, message }: Job): string =>
  `${kind === 'train' ? 'the run' : 'an evaluation of the run'} failed: ${message}`;

function describeQuarantine({ id, crashes, losses, message }: Job): string {
  const what = losses > 0 ? `lost its worker ${losses} times` : `crashed ${crashes} times`;
  return `job ${id} ${what} and is quarantined; read its message for the output of its attempts, then resume it. ${message}`;
}
