/** @file The retry policy: what happens to a job after an attempt has ended. Pure. */
import type { ExitVerdict, JobState } from '@espalier/protocol';
import type { Job } from '../../database/entities/job.js';

/** How often a job may fail in a row without progress, and how long it backs off in between. */
export interface RetryLimits {
  readonly maxFailures: number;
  readonly retrySeconds: number;
}

/** The next state of a job, and what is stored with it. */
export interface Decision {
  readonly to: JobState;
  readonly message: string;
  readonly failures: number;
  /** backoff before the next attempt, ms */
  readonly backoffMs: number;
}

/** What the attempt had achieved. */
export interface AttemptOutcome {
  /** it got further than the attempts before it */
  readonly hasAdvanced: boolean;
  /** a stop was requested, for its job or because its worker drains */
  readonly isRequested?: boolean;
  /** its worker drains, and killed it if it had not stopped by the deadline */
  readonly isDrained?: boolean;
  /** every retry would end the same way */
  readonly isFinal?: boolean;
  /** its collapse monitor paused the run */
  readonly isPaused?: boolean;
  /** it was not started, because its worker lacks what the job needs */
  readonly lacksPlugins?: boolean;
}

type Counted = Pick<Job, 'state' | 'failures'>;

const maxBackoffMs = 300_000;

/**
 * Decides by how the process ended, the pending request, and the failures so far. A stop that was not requested and that
 * made no progress counts as a failure; otherwise it would be retried forever. Progress resets the count: what keeps
 * advancing ends at its last step at the latest.
 *
 * @param message how the process ended, in a sentence
 */
export function decideAfterExit(
  job: Counted,
  verdict: ExitVerdict,
  message: string,
  limits: RetryLimits,
  {
    hasAdvanced,
    isRequested = false,
    isDrained = false,
    isFinal = false,
    isPaused = false,
    lacksPlugins = false,
  }: AttemptOutcome = {
    hasAdvanced: false,
  },
): Decision {
  const failures = hasAdvanced ? 0 : job.failures;
  const uncounted = { failures, backoffMs: 0 };
  if (verdict === 'finished') return { ...uncounted, to: 'finished', message: '' };
  if (job.state === 'cancelling') return { ...uncounted, to: 'cancelled', message: '' };
  if (verdict === 'refused' || (verdict === 'failed' && isFinal))
    return { ...uncounted, to: 'failed', message };
  if (verdict === 'stopped' && job.state === 'pausing') return { ...uncounted, to: 'paused', message: '' };
  if (verdict === 'stopped' && isPaused) return { ...uncounted, to: 'paused', message };
  if (verdict === 'stopped' && (hasAdvanced || isRequested))
    return { ...uncounted, to: 'queued', message: '' };
  if (lacksPlugins || (verdict === 'crashed' && isDrained))
    return { ...uncounted, to: job.state === 'pausing' ? 'paused' : 'queued', message };
  const what = verdict === 'crashed' ? `its process died: ${message}` : message;
  return afterFailure({ state: job.state, failures }, what, limits);
}

/**
 * Decides after a worker vanished with an attempt. A loss without progress counts as a failure: the job may be what takes
 * its workers down.
 *
 * @param reason how it was lost, in a sentence
 * @param isCounted the job may be the cause: its worker neither disconnected cleanly nor was expected back after a
 * restart
 */
export function decideAfterLoss(
  job: Counted,
  reason: string,
  limits: RetryLimits,
  { hasAdvanced, isCounted }: Pick<AttemptOutcome, 'hasAdvanced'> & { readonly isCounted: boolean },
): Decision {
  const { state } = job;
  const uncounted = { message: reason, failures: hasAdvanced ? 0 : job.failures, backoffMs: 0 };
  if (state === 'cancelling') return { ...uncounted, to: 'cancelled' };
  if (isCounted && !hasAdvanced) return afterFailure(job, `its worker vanished: ${reason}`, limits);
  return { ...uncounted, to: state === 'pausing' ? 'paused' : 'queued' };
}

function afterFailure({ state, failures: before }: Counted, what: string, limits: RetryLimits): Decision {
  const { maxFailures, retrySeconds } = limits;
  const failures = before + 1;
  const counted = { message: `failure ${failures} of ${maxFailures}: ${what}`, failures, backoffMs: 0 };
  if (failures >= maxFailures) return { ...counted, to: 'failed' };
  if (state === 'pausing') return { ...counted, to: 'paused' };
  const backoffMs = Math.min(maxBackoffMs, Math.round(retrySeconds * 1000 * 2 ** before));
  return { ...counted, to: 'queued', backoffMs };
}
