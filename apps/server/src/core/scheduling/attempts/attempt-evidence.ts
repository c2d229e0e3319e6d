/** @file Evidence from the attempts of a job: whether one made progress, and their last messages. */
import { excerpt } from '@espalier/protocol';
import { lastStepBefore } from '../../history/metrics/last-steps.js';
import { type EntityManager, LessThan } from 'typeorm';
import type { RunLog } from '../../database/run-log.js';
import { newAlert } from '../../history/alerts/alert.service.js';
import { Attempt } from '../../database/entities/attempt.js';
import type { Job } from '../../database/entities/job.js';
import type { Decision } from './decide-after-exit.js';

/** Returns whether an attempt completed a step that no earlier attempt had completed. */
export async function hasAdvanced(manager: EntityManager, attempt: Attempt): Promise<boolean> {
  const { jobId, number, step, startStep } = attempt;
  if (step <= lastStepBefore(startStep ?? 0)) return false;
  const before = await manager.maximum(Attempt, 'step', { jobId, number: LessThan(number) });
  return before === null || step > before;
}

/** Appends the last messages of the attempts that crashed or were lost to the message of a job that fails. */
export async function gatherEvidence(
  manager: EntityManager,
  job: Job,
  { message, failures }: Decision,
): Promise<string> {
  if (failures === 0) return message;
  const last = await manager.find(Attempt, {
    where: [
      { jobId: job.id, verdict: 'crashed' as const },
      { jobId: job.id, state: 'lost' as const },
    ],
    order: { number: 'DESC' as const },
    take: failures,
  });
  const messages = last.map(({ number, workerName, state, signal, exitCode, message: own }) => {
    const exit = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
    return `attempt ${number} on ${workerName} (${state === 'lost' ? 'lost' : exit}): ${excerpt(own, 2000)}`;
  });
  return [message, ...messages].join('\n').slice(0, 20_000);
}

/** Stores the alert about a job that failed; a failed chat says so to whoever waits for it. */
export async function alertFailure(
  log: RunLog,
  manager: EntityManager,
  job: Job,
  now: number,
): Promise<void> {
  const { kind, runId, project } = job;
  if (kind === 'chat') return;
  const message = `${kind === 'train' ? 'the run' : 'an evaluation of the run'} failed: ${job.message}`;
  await log.storeAlerts(manager, [newAlert({ runId, project, code: 'job.failed', message, time: now })]);
}
