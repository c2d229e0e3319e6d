/** @file Decides what happens next to a worker that a launcher has started. Pure. */
import type { LauncherOptions } from '../../config/launcher-options.js';
import type { LaunchedWorker, LaunchState } from '../database/entities/launched-worker.js';

/** What the server sees of a launched worker. */
export interface WorkerStatus {
  readonly isConnected: boolean;
  /** it was drained, by this server or a user */
  readonly isDraining: boolean;
  readonly hasWork: boolean;
  /** since when it has had no work; null: it has, or is not connected */
  readonly idleSince: number | null;
  /** since when it is disconnected, if it was connected before */
  readonly disconnectedSince: number | null;
}

/** The next state. `isFailure`: the launcher backs off. */
export interface Transition {
  readonly state: LaunchState;
  readonly reason: string;
  readonly isFailure: boolean;
}

type Limits = Pick<LauncherOptions, 'pendingSeconds' | 'connectSeconds' | 'idleSeconds'>;

const to = (state: LaunchState, reason = '', isFailure = false): Transition => ({ state, reason, isFailure });

/**
 * @param isSpare the launcher has more workers than its minimum
 * @returns null: it stays as it is
 */
export function nextTransition(
  row: Pick<LaunchedWorker, 'state' | 'changedAt' | 'reason'>,
  status: WorkerStatus,
  limits: Limits,
  isSpare: boolean,
  now: number,
): Transition | null {
  const { state, reason } = row;
  if (state === 'ended' || state === 'stopping') return null;
  const { isConnected, isDraining, hasWork, idleSince, disconnectedSince } = status;
  if (!isConnected) return nextUnconnected(row, disconnectedSince, limits, now);
  if (state === 'draining') {
    if (!isDraining) return to('online');
    return hasWork ? null : to('stopping', reason);
  }
  if (state !== 'online') return to(isDraining ? 'draining' : 'online');
  if (isDraining) return to('draining', reason === '' ? 'it was drained' : reason);
  const isIdle = idleSince !== null && now - idleSince >= limits.idleSeconds * 1000;
  return isIdle && isSpare ? to('draining', `it was idle for ${limits.idleSeconds} s`) : null;
}

function nextUnconnected(
  { state, changedAt, reason }: Parameters<typeof nextTransition>[0],
  disconnectedSince: number | null,
  { pendingSeconds, connectSeconds }: Limits,
  now: number,
): Transition | null {
  const isLate = (since: number, seconds: number): boolean => now - since >= seconds * 1000;
  if (state === 'pending' && pendingSeconds > 0 && isLate(changedAt, pendingSeconds))
    return to(
      'stopping',
      `the cluster has not started it within ${pendingSeconds} s${reason === '' ? '' : `: ${reason}`}`,
      true,
    );
  if (state === 'running' && isLate(changedAt, connectSeconds))
    return to('stopping', `it runs but has not connected within ${connectSeconds} s`, true);
  if (disconnectedSince !== null && isLate(disconnectedSince, connectSeconds))
    return to('stopping', `it was disconnected for ${connectSeconds} s`);
  return null;
}
