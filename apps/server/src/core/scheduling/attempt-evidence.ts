/** @file Evidence from the attempts of a job: whether one made progress, and their last messages. */
import { excerpt } from '@espalier/protocol';
import { lastStepBefore } from '../history/metrics/last-steps.js';
import { type EntityManager, In, LessThan } from 'typeorm';
import type { Alert } from '../database/entities/alert.js';
import type { RunLog } from '../database/run-log.js';
import { createId } from '../database/create-id.js';
import { Attempt } from '../database/entities/attempt.js';
import type { Job } from '../database/entities/job.js';

/** Tells whether an attempt completed a step that no earlier attempt had completed. */
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
      { jobId: job.id, state: In(['lost']) },
    ],
    order: { number: 'DESC' as const },
    take: count,
  });
  const told = last.map(({ number, workerName, state, signal, exitCode, message: said }) => {
    const exit = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
    return `attempt ${number} on ${workerName} (${state === 'lost' ? 'lost' : exit}): ${excerpt(said, 2000)}`;
  });
  return [message, ...told].join('\n').slice(0, 20_000);
}

/** Stores the alert about a quarantined job. */
export async function alertQuarantine(
  log: RunLog,
  manager: EntityManager,
  job: Job,
  now: number,
): Promise<void> {
  const { id, crashes, losses } = job;
  const what = losses > 0 ? `lost its worker ${losses} times` : `crashed ${crashes} times`;
  const message = `job ${id} ${what} and is quarantined; read its message for the output of its attempts, then resume it. ${job.message}`;
  const alert: Alert = {
    id: createId('alert', now),
    runId: job.runId,
    project: job.project,
    severity: 'error',
    code: 'job.quarantined',
    message: message.slice(0, 20_000),
    step: -1,
    time: now,
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
  await log.storeAlerts(manager, [alert]);
}
