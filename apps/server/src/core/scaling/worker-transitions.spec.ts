import { describe, expect, it } from 'vitest';
import type { LaunchState } from '../database/entities/launched-worker.js';
import { nextTransition, type WorkerStatus } from './worker-transitions.js';

const limits = { pendingSeconds: 60, connectSeconds: 30, idleSeconds: 10 };
const absent: WorkerStatus = {
  isConnected: false,
  isDraining: false,
  hasWork: false,
  idleSince: null,
  disconnectedSince: null,
};
const now = 1_000_000;
const step = (
  state: LaunchState,
  status: Partial<WorkerStatus>,
  agoSeconds = 0,
  isSpare = true,
  reason = '',
) =>
  nextTransition(
    { state, changedAt: now - agoSeconds * 1000, reason },
    { ...absent, ...status },
    limits,
    isSpare,
    now,
  );

describe('a launched worker', () => {
  it('is online once it has connected', () => {
    for (const state of ['starting', 'pending', 'running'] as const) {
      expect(step(state, {})).toBeNull();
      expect(step(state, { isConnected: true })).toMatchObject({ state: 'online', isFailure: false });
    }
  });

  it('is given up if the cluster never starts it, or it never connects; then its launcher backs off', () => {
    expect(step('pending', {}, 59)).toBeNull();
    expect(step('pending', {}, 60)).toMatchObject({ state: 'stopping', isFailure: true });
    const forEver = { ...limits, pendingSeconds: 0 };
    expect(
      nextTransition({ state: 'pending', changedAt: 0, reason: '' }, absent, forEver, true, now),
    ).toBeNull();
    expect(step('pending', {}, 60, true, 'exceeded quota: gpus')?.reason).toMatch(
      /not started it within 60 s: exceeded quota: gpus$/,
    );
    expect(step('running', {}, 29)).toBeNull();
    expect(step('running', {}, 30)).toMatchObject({ state: 'stopping', isFailure: true });
  });

  it('is drained when it was idle, unless it is one of the minimum, and stopped once it has no work', () => {
    const idle = { isConnected: true, idleSince: now - 10_000 };
    expect(step('online', { ...idle, idleSince: now - 9_999 })).toBeNull();
    expect(step('online', idle)).toMatchObject({ state: 'draining' });
    expect(step('online', idle, 0, false)).toBeNull();
    const drained = { isConnected: true, isDraining: true };
    expect(step('draining', { ...drained, hasWork: true })).toBeNull();
    // why it was drained stays the reason
    expect(step('draining', drained, 0, true, 'it was idle for 10 s')).toMatchObject({
      state: 'stopping',
      reason: 'it was idle for 10 s',
      isFailure: false,
    });
    expect(step('online', drained)?.reason).toBe('it was drained');
    expect(step('online', drained, 0, true, 'its pod was evicted')?.reason).toBe('its pod was evicted');
    // a user drains it, or undrains it
    expect(step('online', { ...drained, hasWork: true })).toMatchObject({ state: 'draining' });
    expect(step('draining', { isConnected: true })).toMatchObject({ state: 'online' });
  });

  it('is stopped after it was disconnected for long, without a backoff', () => {
    expect(step('online', { disconnectedSince: now - 29_999 })).toBeNull();
    expect(step('online', { disconnectedSince: now - 30_000 })).toMatchObject({
      state: 'stopping',
      isFailure: false,
    });
  });

  it('stays as it is once it stops', () => {
    expect(step('stopping', { isConnected: true }, 999)).toBeNull();
    expect(step('ended', {}, 999)).toBeNull();
  });
});
