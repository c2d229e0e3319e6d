/** @file The lines of single runs along steps, time or tokens. Pure functions. */
import type { MetricSeries } from '@espalier/client';
import { lineColor, lineDash } from '../charts/line-style.js';
import type { Axis } from './selection.js';

/** Sampled tokens of a run since its start, at each step. */
export const sampledTokens = 'total/sampled_tokens';

/** One metric of one run. */
type ReadSeries = Pick<MetricSeries, 'runId' | 'name' | 'steps' | 'values'> &
  Partial<Pick<MetricSeries, 'times'>>;

interface RunLine {
  readonly name: string;
  readonly color: string;
  readonly dash: readonly number[];
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
}

/** Tokens that were sampled up to a step. */
interface Reached {
  readonly step: number;
  readonly tokens: number;
}

/**
 * Puts each series onto an axis. Along tokens every series needs those of its run, or has no place but step 0.
 *
 * @param history null: the run has no such metric
 * @returns lines by metric
 */
export function toLines(
  history: readonly (ReadSeries | null)[],
  axis: Axis,
  groupOf: (id: string) => number,
  nameOf: (id: string) => string,
): ReadonlyMap<string, readonly RunLine[]> {
  const begins = new Map<string, number>();
  const sampled = new Map<string, readonly Reached[]>();
  for (const series of history) {
    if (series === null) continue;
    const [time] = series.times ?? [];
    if (typeof time === 'number')
      begins.set(series.runId, Math.min(begins.get(series.runId) ?? Infinity, time));
    if (series.name === sampledTokens) sampled.set(series.runId, reachedBy(series));
  }
  const lines = new Map<string, RunLine[]>();
  for (const series of history) {
    if (series === null) continue;
    const { runId, name, times, values } = series;
    const group = groupOf(runId);
    const steps = series.steps.map(Number);
    const places =
      axis === 'step'
        ? steps
        : axis === 'seconds'
          ? steps.map((_, at) => (Number(times?.[at]) - (begins.get(runId) ?? 0)) / 1000)
          : tokensAt(steps, sampled.get(runId) ?? []);
    const kept = places.flatMap((place, at) => (Number.isNaN(place) ? [] : [at]));
    const line = {
      name: nameOf(runId),
      color: lineColor(group),
      dash: lineDash(group),
      x: kept.map((at) => places[at] ?? 0),
      y: kept.map((at) => values[at] ?? null),
    };
    lines.set(name, [...(lines.get(name) ?? []), line]);
  }
  return lines;
}

const reachedBy = ({ steps, values }: ReadSeries): Reached[] =>
  steps.flatMap((step, at) => {
    const tokens = values[at];
    return typeof tokens === 'number' ? [{ step: Number(step), tokens }] : [];
  });

/**
 * Tokens at ascending steps. Each metric keeps steps of its own where there are many, so those between two known ones are
 * taken to have grown evenly; after the last known they are its.
 */
function tokensAt(steps: readonly number[], reached: readonly Reached[]): number[] {
  const known = [{ step: 0, tokens: 0 }, ...reached];
  let at = 0;
  return steps.map((step) => {
    while ((known[at]?.step ?? Infinity) < step) at += 1;
    const [before, after] = [known[at - 1], known[at]];
    if (after === undefined) return reached.at(-1)?.tokens ?? Number.NaN;
    if (before === undefined || after.step === step) return after.tokens;
    return (
      before.tokens + ((step - before.step) / (after.step - before.step)) * (after.tokens - before.tokens)
    );
  });
}
