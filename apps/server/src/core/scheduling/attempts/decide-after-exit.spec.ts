import { type ExitVerdict, isTransition, type JobState } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { decideAfterExit, decideAfterLoss } from './decide-after-exit.js';

const limits = { maxFailures: 3, retrySeconds: 5 };
const job = (state: JobState, failures = 0) => ({ state, failures });
const further = { hasAdvanced: true };

describe('what becomes of a job when its process has ended', () => {
  it('is a state that it may go to, whatever it was and however the process ended', () => {
    const verdicts: ExitVerdict[] = ['finished', 'stopped', 'refused', 'failed', 'crashed'];
    const held: JobState[] = ['assigned', 'running', 'pausing', 'cancelling'];
    for (const verdict of verdicts)
      for (const state of held)
        for (const count of [0, 5]) {
          const { to } = decideAfterExit(job(state, count), verdict, 'm', limits);
          expect(`${state}→${to} ${isTransition(state, to)}`).toBe(`${state}→${to} true`);
        }
  });

  it.each(['failed', 'crashed', 'stopped'] as const)(
    'is the queue after it %s, with a backoff that doubles, then the end exactly at the limit',
    (verdict) => {
      const after = (failures: number) => decideAfterExit(job('running', failures), verdict, 'no', limits);
      expect([0, 1, 2].map(after)).toMatchObject([
        { to: 'queued', failures: 1, backoffMs: 5000 },
        { to: 'queued', failures: 2, backoffMs: 10_000 },
        { to: 'failed', failures: 3, backoffMs: 0 },
      ]);
      const what = verdict === 'crashed' ? 'its process died: no' : 'no';
      expect(after(2).message).toBe(`failure 3 of 3: ${what}`);
    },
  );

  it('counts from 1 again after progress', () => {
    for (const verdict of ['failed', 'crashed'] as const)
      expect(decideAfterExit(job('running', 2), verdict, 'm', limits, further)).toMatchObject({
        to: 'queued',
        failures: 1,
        backoffMs: 5000,
      });
  });

  it('is an end at once, in its own words, after a failure that every try would meet', () => {
    const outcome = { hasAdvanced: true, isFinal: true };
    expect(decideAfterExit(job('running'), 'failed', 'nothing left to learn', limits, outcome)).toMatchObject(
      { to: 'failed', failures: 0, message: 'nothing left to learn' },
    );
    expect(decideAfterExit(job('running'), 'crashed', 'm', limits, outcome).to).toBe('queued');
  });

  it('is a pause where the collapse monitor paused the run, and a cancellation if somebody asked for that', () => {
    const outcome = { hasAdvanced: false, isPaused: true };
    const after = (state: JobState, verdict: ExitVerdict) =>
      decideAfterExit(job(state, 1), verdict, 'paused at step 6', limits, outcome);
    expect(after('running', 'stopped')).toMatchObject({
      to: 'paused',
      failures: 1,
      message: 'paused at step 6',
    });
    expect(after('cancelling', 'stopped').to).toBe('cancelled');
    expect(after('running', 'crashed').to).toBe('queued');
    expect(isTransition('running', 'paused')).toBe(true);
  });

  it('is the queue, and nothing is counted, after a stop that was requested or got further', () => {
    const requested = { hasAdvanced: false, isRequested: true };
    expect(decideAfterExit(job('running', 2), 'stopped', '', limits, requested)).toMatchObject({
      to: 'queued',
      failures: 2,
      backoffMs: 0,
    });
    expect(decideAfterExit(job('running', 2), 'stopped', '', limits, further)).toMatchObject({
      to: 'queued',
      failures: 0,
      backoffMs: 0,
    });
  });

  it('is the queue, and nothing is counted, when a draining worker killed it after its deadline', () => {
    const drained = { hasAdvanced: false, isRequested: true, isDrained: true };
    const killed = (state: JobState) => decideAfterExit(job(state, 2), 'crashed', 'm', limits, drained);
    expect(killed('running')).toMatchObject({ to: 'queued', failures: 2, backoffMs: 0 });
    expect(killed('pausing').to).toBe('paused');
    expect(killed('cancelling').to).toBe('cancelled');
    expect(decideAfterExit(job('running', 2), 'failed', 'm', limits, drained).to).toBe('failed');
  });

  it('is a failure where its worker vanished, unless it got further or the worker is to blame', () => {
    const lose = (failures: number, hasAdvanced: boolean, isCounted: boolean) =>
      decideAfterLoss(job('running', failures), 'gone', limits, { hasAdvanced, isCounted });
    expect(lose(0, false, true)).toMatchObject({ to: 'queued', failures: 1, backoffMs: 5000 });
    expect(lose(1, false, true)).toMatchObject({ to: 'queued', failures: 2, backoffMs: 10_000 });
    expect(lose(2, false, true)).toMatchObject({ to: 'failed', failures: 3, backoffMs: 0 });
    expect(lose(2, true, true)).toMatchObject({ to: 'queued', failures: 0, backoffMs: 0 });
    expect(lose(2, false, false)).toMatchObject({ to: 'queued', failures: 2, backoffMs: 0 });
  });

  it('is an end at once for bad input', () => {
    expect(decideAfterExit(job('running'), 'refused', 'unknown key', limits)).toMatchObject({
      to: 'failed',
      message: 'unknown key',
      failures: 0,
    });
  });

  it('follows what the job was asked to do', () => {
    expect(decideAfterExit(job('pausing'), 'stopped', '', limits).to).toBe('paused');
    expect(decideAfterExit(job('pausing'), 'finished', '', limits).to).toBe('finished');
    expect(decideAfterExit(job('pausing'), 'crashed', 'm', limits).to).toBe('paused');
    expect(decideAfterExit(job('cancelling', 2), 'crashed', 'm', limits).to).toBe('cancelled');
  });
});
