import { describe, expect, it } from 'vitest';
import type { RunMetrics } from '../charts/series.js';
import { actionsOf } from './actions-of-state.js';
import { tellRun } from './story.js';

const run = {
  state: 'finished',
  step: 16,
  steps: 16,
  startedAt: '2026-11-24T12:00:00Z',
  endedAt: '2026-11-24T12:01:05Z',
};
const metricsOf = (series: Record<string, [number[], number[]]>): RunMetrics => ({
  cursor: 1,
  attempt: 1,
  lastStep: 16,
  series: Object.fromEntries(
    Object.entries(series).map(([name, [steps, values]]) => [
      name,
      { steps, values, times: [], isDecimated: false },
    ]),
  ),
});

describe('the story of a run', () => {
  it('has its state, steps, time and how success moved, with its interval', () => {
    const metrics = metricsOf({
      'validation/success_rate': [
        [0, 16],
        [0.42, 0.99],
      ],
      'validation/success_low': [
        [0, 16],
        [0.3, 0.95],
      ],
      'validation/success_high': [
        [0, 16],
        [0.5, 1],
      ],
    });
    expect(tellRun(run, metrics, 0)).toBe(
      'Finished: 16 of 16 steps in 1 min 5 s. Success on validation rose from 42 % to 99 % [95 %, 100 %].',
    );
  });

  it('says nothing about what is not reported', () => {
    const waits = { state: 'queued', step: null, steps: 16, startedAt: null, endedAt: null };
    expect(tellRun(waits, undefined, 0)).toBe('Waits for a device.');
    expect(
      tellRun(
        run,
        metricsOf({
          'rollout/reward_mean': [
            [1, 2],
            [0.5, 1],
          ],
        }),
        0,
      ),
    ).toContain('Reward went from 0.5 to 1.');
  });

  it('takes a moment in the future, by a clock that is off, for no time', () => {
    const runs = { ...run, state: 'running', endedAt: null };
    expect(tellRun(runs, undefined, Date.parse('2026-11-24T11:00:00Z'))).toBe(
      'Running: 16 of 16 steps in 0 s.',
    );
  });
});

describe('actions', () => {
  it('are those that the state allows, none for an imported run', () => {
    expect(actionsOf('running', false)).toEqual(['pause', 'cancel']);
    expect(actionsOf('paused', false)).toEqual(['resume', 'cancel']);
    expect(actionsOf('finished', false)).toEqual([]);
    expect(actionsOf('running', true)).toEqual([]);
  });
});
