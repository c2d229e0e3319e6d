import { type ExitVerdict, isTransition, type JobState } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { decideAfterExit, decideAfterLoss } from './decide-after-exit.js';

const limits = { maxTries: 3, maxCrashes: 3, retrySeconds: 5 };
const job = (state: JobState, tries = 0, crashes = 0) => ({ state, tries, crashes });

describe('what becomes of a job when its process has ended', () => {
  it('is a state that it may go to, whatever it was and however the process ended', () => {
    const verdicts: ExitVerdict[] = ['finished', 'stopped', 'refused', 'failed', 'crashed'];
    const held: JobState[] = ['assigned', 'running', 'pausing', 'cancelling'];
    for (const verdict of verdicts)
      for (const state of held)
        for (const count of [0, 5]) {
          const { to } = decideAfterExit(job(state, count, count), verdict, 'm', limits);
          expect(`${state}→${to} ${isTransition(state, to)}`).toBe(`${state}→${to} true`);
        }
  });

  it('is the queue after a failure, with a rest that doubles, until the tries are used up', () => {
    const rests = [0, 1].map((tries) => decideAfterExit(job('running', tries), 'failed', 'no', limits));
    expect(rests.map(({ to, backoffMs }) => [to, backoffMs])).toEqual([
      ['queued', 5000],
      ['queued', 10_000],
    ]);
    const last = decideAfterExit(job('running', 2), 'failed', 'no room', limits);
    expect(last).toMatchObject({ to: 'failed', tries: 3, message: 'failure 3 of 3: no room' });
  });

  it('is an end at once, in its own words, after a failure that every try would meet', () => {
    const course = { hasAdvanced: true, isFinal: true };
    expect(decideAfterExit(job('running'), 'failed', 'nothing left to learn', limits, course)).toMatchObject({
      to: 'failed',
      tries: 0,
      message: 'nothing left to learn',
    });
    expect(decideAfterExit(job('running'), 'crashed', 'm', limits, course).to).toBe('queued');
  });

  it('is a pause where the collapse monitor paused the run, and a cancellation if somebody asked for that', () => {
    const course = { hasAdvanced: true, isPaused: true };
    const after = (state: JobState, verdict: ExitVerdict) =>
      decideAfterExit(job(state, 1), verdict, 'paused at step 6', limits, course);
    expect(after('running', 'stopped')).toMatchObject({
      to: 'paused',
      tries: 1,
      message: 'paused at step 6',
    });
    expect(after('cancelling', 'stopped').to).toBe('cancelled');
    expect(after('running', 'crashed').to).toBe('queued');
    expect(isTransition('running', 'paused')).toBe(true);
  });

  it('is the quarantine after too many crashes, exactly at the limit', () => {
    expect(decideAfterExit(job('running', 0, 1), 'crashed', 'm', limits).to).toBe('queued');
    expect(decideAfterExit(job('running', 0, 2), 'crashed', 'm', limits).to).toBe('quarantined');
  });

  it('is a rest and a try after a stop that nobody asked for, unless it got further', () => {
    expect(decideAfterExit(job('running', 1), 'stopped', 'no room', limits)).toMatchObject({
      to: 'queued',
      tries: 2,
      backoffMs: 10_000,
      message: 'failure 2 of 3: no room',
    });
    expect(decideAfterExit(job('running', 2), 'stopped', 'no room', limits).to).toBe('failed');
    const closing = { hasAdvanced: false, isRequested: true };
    expect(decideAfterExit(job('running', 2), 'stopped', '', limits, closing)).toMatchObject({
      to: 'queued',
      tries: 2,
      backoffMs: 0,
    });
  });

  it('is the queue, and nothing is counted, when a draining worker killed it after its deadline', () => {
    const drained = { hasAdvanced: false, isRequested: true, isDrained: true };
    const killed = (state: JobState) => decideAfterExit(job(state, 2, 2), 'crashed', 'm', limits, drained);
    expect(killed('running')).toMatchObject({ to: 'queued', tries: 2, crashes: 2, backoffMs: 0 });
    expect(killed('pausing').to).toBe('paused');
    expect(killed('cancelling').to).toBe('cancelled');
    expect(decideAfterExit(job('running', 2), 'failed', 'm', limits, drained).to).toBe('failed');
  });

  it('is a rest that grows after each loss in a row, then the quarantine', () => {
    const lose = (losses: number, hasAdvanced: boolean, isCounted: boolean) =>
      decideAfterLoss({ ...job('running'), losses }, 'gone', limits, { hasAdvanced, isCounted });
    expect(lose(0, false, true)).toMatchObject({ to: 'queued', losses: 1, backoffMs: 5000 });
    expect(lose(1, false, true)).toMatchObject({ to: 'queued', losses: 2, backoffMs: 10_000 });
    expect(lose(2, false, true)).toMatchObject({ to: 'quarantined', losses: 3, backoffMs: 0 });
    expect(lose(2, true, true)).toMatchObject({ to: 'queued', losses: 0, backoffMs: 0 });
    expect(lose(2, false, false)).toMatchObject({ to: 'queued', losses: 2, backoffMs: 0 });
  });

  it('is an end at once for bad input, and no try for a stop that got further', () => {
    expect(decideAfterExit(job('running'), 'refused', 'unknown key', limits)).toMatchObject({
      to: 'failed',
      message: 'unknown key',
      tries: 0,
    });
    const further = { hasAdvanced: true };
    expect(decideAfterExit(job('running', 2, 2), 'stopped', '', limits, further)).toMatchObject({
      to: 'queued',
      tries: 2,
      crashes: 2,
      backoffMs: 0,
    });
  });

  it('follows what the job was asked to do', () => {
    expect(decideAfterExit(job('pausing'), 'stopped', '', limits).to).toBe('paused');
    expect(decideAfterExit(job('pausing'), 'finished', '', limits).to).toBe('finished');
    expect(decideAfterExit(job('pausing'), 'crashed', 'm', limits).to).toBe('paused');
    expect(decideAfterExit(job('cancelling', 2, 2), 'crashed', 'm', limits).to).toBe('cancelled');
  });
});
