/** @file The retry policy: what happens to a job after its process has ended. Pure. */
import type { ExitVerdict, JobState } from '@espalier/protocol';
import type { Job } from '../../database/entities/job.js';

/** How often a job may fail and crash, and how long it backs off in between. */
export interface RetryLimits {
  readonly maxTries: number;
  readonly maxCrashes: number;
  readonly retrySeconds: number;
}

/** The next state of a job, and what is stored with it. */
export interface Decision {
  readonly to: JobState;
  readonly message: string;
  readonly tries: number;
  readonly crashes: number;
  readonly losses: number;
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

type Counted = Pick<Job, 'state' | 'tries' | 'crashes'>;

const maxBackoffMs = 300_000;

/**
 * Decides by how the process ended, the pending request, and the failures so far. A stop that was not requested and that
 * made no progress counts as a failure; otherwise it would be retried forever.
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
  const { tries, crashes } = job;
  const unchanged = { tries, crashes, losses: 0, backoffMs: 0 };
  if (verdict === 'finished') return { ...unchanged, to: 'finished', message: '' };
  if (job.state === 'cancelling') return { ...unchanged, to: 'cancelled', message: '' };
  if (verdict === 'refused' || (verdict === 'failed' && isFinal))
    return { ...unchanged, to: 'failed', message };
  if (verdict === 'stopped' && job.state === 'pausing') return { ...unchanged, to: 'paused', message: '' };
  if (verdict === 'stopped' && isPaused) return { ...unchanged, to: 'paused', message };
  if (verdict === 'stopped' && (hasAdvanced || isRequested))
    return { ...unchanged, to: 'queued', message: '' };
  if (verdict === 'crashed' && isDrained)
    return { ...unchanged, to: job.state === 'pausing' ? 'paused' : 'queued', message };
  if (lacksPlugins) return { ...unchanged, to: job.state === 'pausing' ? 'paused' : 'queued', message };
  return verdict === 'crashed' ? afterCrash(job, message, limits) : afterFailure(job, message, limits);
}

/**
 * Decides after a worker vanished with an attempt. Consecutive losses without progress count like crashes: the job may
 * be what takes its workers down.
 *
 * @param reason how it was lost, in a sentence
 * @param isCounted the job may be the cause: its worker neither disconnected cleanly nor was expected back after a
 * restart
 */
export function decideAfterLoss(
  job: Counted & Pick<Job, 'losses'>,
  reason: string,
  limits: RetryLimits,
  { hasAdvanced, isCounted }: Pick<AttemptOutcome, 'hasAdvanced'> & { readonly isCounted: boolean },
): Decision {
  const { state, tries, crashes } = job;
  const losses = hasAdvanced ? 0 : job.losses + Number(isCounted);
  const counted = { message: reason, tries, crashes, losses, backoffMs: 0 };
  if (state === 'cancelling') return { ...counted, to: 'cancelled' };
  if (isCounted && losses >= limits.maxCrashes) {
    const message = `its worker vanished (${losses} of ${limits.maxCrashes}): ${reason}`;
    return { ...counted, to: 'quarantined', message };
  }
  if (state === 'pausing') return { ...counted, to: 'paused' };
  const backoffMs = isCounted && losses > 0 ? backoffAfter(losses, limits) : 0;
  return { ...counted, to: 'queued', backoffMs };
}

function afterFailure({ state, tries, crashes }: Counted, message: string, limits: RetryLimits): Decision {
  const count = tries + 1;
  const reason = `failure ${count} of ${limits.maxTries}: ${message}`;
  const counted = { message: reason, tries: count, crashes, losses: 0, backoffMs: 0 };
  if (count >= limits.maxTries) return { ...counted, to: 'failed' };
  if (state === 'pausing') return { ...counted, to: 'paused' };
  return { ...counted, to: 'queued', backoffMs: backoffAfter(count, limits) };
}

function afterCrash({ state, tries, crashes }: Counted, message: string, limits: RetryLimits): Decision {
  const count = crashes + 1;
  const reason = `its process died (${count} of ${limits.maxCrashes}): ${message}`;
  const counted = { message: reason, tries, crashes: count, losses: 0, backoffMs: 0 };
  if (count >= limits.maxCrashes) return { ...counted, to: 'quarantined' };
  if (state === 'pausing') return { ...counted, to: 'paused' };
  return { ...counted, to: 'queued', backoffMs: backoffAfter(count, limits) };
}

/** Doubles with each failure, up to five minutes. */
function backoffAfter(count: number, { retrySeconds }: RetryLimits): number {
  return Math.min(maxBackoffMs, Math.round(retrySeconds * 1000 * 2 ** (count - 1)));
}
