/** @file How busy the devices of a run were at each step: what workers report by the minute, put on steps. Pure functions. */
import type { MetricFacts } from '../charts/about.js';
import type { Series } from '../charts/series.js';
import type { DeviceSpan } from '../data/types.js';

/** What a worker told of its devices. */
export interface DeviceRecord {
  readonly worker: string;
  /** which of them the run had, and when, ms since the epoch */
  readonly uses: readonly {
    readonly devices: readonly string[];
    readonly from: number;
    readonly to: number;
  }[];
  readonly spans: readonly DeviceSpan[];
  /** length of a span */
  readonly spanMs: number;
}

export interface DeviceUse {
  readonly series: Readonly<Record<string, Series>>;
  readonly facts: readonly MetricFacts[];
}

/**
 * Means of the spans that a step overlaps, as series of `device/<id>`.
 *
 * @param steps when each step ended, and how long it took
 */
export function deviceUse(records: readonly DeviceRecord[], steps: Series | undefined): DeviceUse {
  const series: Record<string, Series> = {};
  const facts: MetricFacts[] = [];
  const hasSeveral = new Set(records.map(({ worker }) => worker)).size > 1;
  for (const { worker, uses, spans, spanMs } of records)
    for (const id of new Set(uses.flatMap(({ devices }) => devices))) {
      const own = uses.filter(({ devices }) => devices.includes(id));
      const readings = spans.flatMap(({ at, devices: told }) => {
        const busy = told.find((one) => one.id === id)?.utilisation ?? null;
        return busy === null ? [] : [{ from: Date.parse(at), to: Date.parse(at) + spanMs, busy }];
      });
      const found = onSteps(readings, steps, (end) => own.some(({ from, to }) => end >= from && end <= to));
      if (found.steps.length === 0) continue;
      const name = `device/${hasSeveral ? `${worker} ` : ''}${id}`;
      series[name] = found;
      const minutes = Math.max(1, Math.round(spanMs / 60_000));
      facts.push({
        name,
        unit: 'probability',
        formula: `how busy ${id} of ${worker} was with all that ran on it: mean of what the worker reported over the ${minutes === 1 ? 'minutes' : `spans of ${minutes} minutes`} of the step`,
      });
    }
  return { series, facts };
}

interface Reading {
  readonly from: number;
  readonly to: number;
  readonly busy: number;
}

/** @param isOwn whether the run had the device when a step ended */
function onSteps(
  readings: readonly Reading[],
  ended: Series | undefined,
  isOwn: (end: number) => boolean,
): Series {
  const found = { steps: [] as number[], values: [] as number[], times: [] as number[] };
  ended?.steps.forEach((step, at) => {
    const [seconds, end] = [ended.values[at], ended.times[at]];
    if (typeof seconds !== 'number' || typeof end !== 'number' || !isOwn(end)) return;
    const start = end - seconds * 1000;
    const own = readings.filter(({ from, to }) => from <= end && to >= start);
    if (own.length === 0) return;
    found.steps.push(step);
    found.values.push(own.reduce((sum, { busy }) => sum + busy, 0) / own.length);
    found.times.push(end);
  });
  return { ...found, isDecimated: ended?.isDecimated ?? false };
}
