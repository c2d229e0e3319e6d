import { describe, expect, it } from 'vitest';
import type { Series } from '../charts/series.js';
import type { EventCount } from '../data/types.js';
import { deviceUse } from './device-use.js';
import { lanesOf } from './lanes.js';
import { happeningsOf, tellHappenings } from './marks.js';

/** Values of steps 1, 2, …; each ended at its time in seconds. */
const seriesOf = (values: number[], ends: number[], first = 1): Series => ({
  steps: values.map((_, at) => first + at),
  values,
  times: ends.map((end) => end * 1000),
  isDecimated: false,
});

describe('phases by the clock', () => {
  const ends = [110, 125];
  const series = {
    'time/step_seconds': seriesOf([10, 12], ends),
    'time/collect_seconds': seriesOf([6, 7], ends),
    'time/update_seconds': seriesOf([4, 5], ends),
    'time/save_seconds': seriesOf([0, 2], ends),
    'time/validate_seconds': seriesOf([5], [100], 0),
  };

  it('lie one after the other within their step, a validation before its report, saving before its step', () => {
    const found = lanesOf(series, { from: 0, to: 2 });
    expect([found?.from, found?.to]).toEqual([95_000, 125_000]);
    expect(found?.lanes).toEqual([
      {
        phase: 'collect',
        seconds: 13,
        blocks: [
          { step: 1, from: 100_000, to: 106_000 },
          { step: 2, from: 113_000, to: 120_000 },
        ],
      },
      {
        phase: 'update',
        seconds: 9,
        blocks: [
          { step: 1, from: 106_000, to: 110_000 },
          { step: 2, from: 120_000, to: 125_000 },
        ],
      },
      { phase: 'validate', seconds: 5, blocks: [{ step: 0, from: 95_000, to: 100_000 }] },
      { phase: 'save', seconds: 2, blocks: [{ step: 2, from: 111_000, to: 113_000 }] },
    ]);
    // from 110 to 111
    expect(found?.restSeconds).toBeCloseTo(1);
  });

  it('are those of the wanted steps, and none where none has a time', () => {
    expect(lanesOf(series, { from: 2, to: 9 })?.lanes.map(({ phase }) => phase)).toEqual([
      'collect',
      'update',
      'save',
    ]);
    expect(lanesOf(series, { from: 3, to: 9 })).toBeUndefined();
  });
});

describe('use of devices', () => {
  const span = (second: number, busy: number | null) => ({
    at: new Date(second * 1000).toISOString(),
    devices: [
      { id: 'cuda-0', utilisation: busy, freeMemoryMb: null, powerWatts: null, temperatureCelsius: null },
    ],
  });

  it('is the mean of the minutes that a step overlaps, and absent where nothing was reported', () => {
    const spans = [span(0, 0.2), span(60, 0.6), span(120, null), span(180, 1)];
    const uses = [{ devices: ['cuda-0', 'cuda-1'], from: 0, to: Infinity }];
    const record = { worker: 'one', uses, spans, spanMs: 60_000 };
    const { series, facts } = deviceUse([record], seriesOf([30, 80, 30, 20], [50, 100, 170, 220]));
    expect(series).toEqual({
      'device/cuda-0': {
        steps: [1, 2, 4],
        values: [0.2, 0.4, 1],
        times: [50_000, 100_000, 220_000],
        isDecimated: false,
      },
    });
    expect(facts.map(({ name, unit }) => [name, unit])).toEqual([['device/cuda-0', 'probability']]);
  });

  it('ends with the attempt: what the worker does for others later is not of the run', () => {
    const uses = [{ devices: ['cuda-0'], from: 0, to: 90_000 }];
    const record = { worker: 'one', uses, spans: [span(0, 0.2), span(60, 0.6)], spanMs: 60_000 };
    const { series } = deviceUse([record], seriesOf([30, 30], [50, 110]));
    expect(series['device/cuda-0']?.steps).toEqual([1]);
  });

  it('names the worker where there were several', () => {
    const records = ['one', 'two'].map((worker) => ({
      worker,
      uses: [{ devices: ['cuda-0'], from: 0, to: Infinity }],
      spans: [span(0, 0.5)],
      spanMs: 60_000,
    }));
    expect(Object.keys(deviceUse(records, seriesOf([1], [10])).series)).toEqual([
      'device/one cuda-0',
      'device/two cuda-0',
    ]);
  });
});

describe('what happened on the axis', () => {
  const counts: EventCount[] = [
    { kind: 'run-started', firstStep: 0, lastStep: 0, count: 1 },
    { kind: 'checkpoint', firstStep: 4, lastStep: 4, count: 1 },
    { kind: 'warning', firstStep: 4, lastStep: 6, count: 3 },
    { kind: 'run-started', firstStep: 5, lastStep: 5, count: 1 },
    { kind: 'state', firstStep: null, lastStep: null, count: 2 },
  ];

  it('leaves out the first attempt, and puts forks among the rest', () => {
    const forks = [{ id: 'run-b', title: 'hot\u0007ter', step: 4 }];
    const found = happeningsOf(counts, forks);
    expect(found.map(({ kind, step }) => `${kind} ${step}`)).toEqual([
      'checkpoint 4',
      'warning 4',
      'fork 4',
      'attempt 5',
    ]);
    // what cannot be seen is made visible
    expect(tellHappenings(found)).toBe('checkpoint, warning × 3, fork “hot␇ter”, another attempt began');
  });
});
