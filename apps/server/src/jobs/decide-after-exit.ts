/** @file What becomes of a job when its process has ended: the rules of retrying, in one place, without a database. */
import type { ExitVerdict, JobState } from '@espalier/protocol';
import type { Job } from './job.entity.js';

/** How often a job may fail and crash, and how long it rests in between. */
export interface RetryLimits {
  readonly maxTries: number;
  readonly maxCrashes: number;
  readonly retrySeconds: number;
}

/** Where a job goes, and what is written down with that. */
export interface Decision {
  readonly to: JobState;
  readonly message: string;
  readonly tries: number;
  readonly crashes: number;
  /** rest before the next attempt, ms */
  readonly restMs: number;
}

const longestRestMs = 300_000;

/**
 * Decides by how the process ended, what the job was asked to do, and how often it failed before.
 *
 * @param message how the process ended, in a sentence
 */
export function decideAfterExit(
  job: Pick<Job, 'state' | 'tries' | 'crashes'>,
  verdict: ExitVerdict,
  message: string,
  limits: RetryLimits,
): Decision {
  const { tries, crashes } = job;
  const stay = { tries, crashes, restMs: 0 };
  if (verdict === 'finished') return { ...stay, to: 'finished', message: '' };
  if (job.state === 'cancelling') return { ...stay, to: 'cancelled', message: '' };
  if (verdict === 'refused') return { ...stay, to: 'failed', message };
  if (verdict === 'stopped')
    return { ...stay, to: job.state === 'pausing' ? 'paused' : 'queued', message: '' };
  return verdict === 'failed' ? afterFailure(job, message, limits) : afterCrash(job, message, limits);
}

type Counted = Pick<Job, 'state' | 'tries' | 'crashes'>;

function afterFailure({ state, tries, crashes }: Counted, message: string, limits: RetryLimits): Decision {
  const count = tries + 1;
  const told = `attempt ${count} of ${limits.maxTries} failed: ${message}`;
  const counted = { message: told, tries: count, crashes, restMs: 0 };
  if (count >= limits.maxTries) return { ...counted, to: 'failed' };
  if (state === 'pausing') return { ...counted, to: 'paused' };
  return { ...counted, to: 'queued', restMs: restAfter(count, limits) };
}

function afterCrash({ state, tries, crashes }: Counted, message: string, limits: RetryLimits): Decision {
  const count = crashes + 1;
  const told = `its process died (${count} of ${limits.maxCrashes}): ${message}`;
  const counted = { message: told, tries, crashes: count, restMs: 0 };
  if (count >= limits.maxCrashes) return { ...counted, to: 'quarantined' };
  if (state === 'pausing') return { ...counted, to: 'paused' };
  return { ...counted, to: 'queued', restMs: restAfter(count, limits) };
}

/** Doubles with each failure, up to five minutes. */
function restAfter(count: number, { retrySeconds }: RetryLimits): number {
  return Math.min(longestRestMs, Math.round(retrySeconds * 1000 * 2 ** (count - 1)));
}
