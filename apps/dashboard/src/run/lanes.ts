/**
 * @file When a run did what, by the clock. The trainer reports how long each phase of a step took and when the step
 * ended; phases follow each other without gaps, so the rest follows. Pure functions.
 */
import type { Series } from '../charts/series.js';

/** Phases of a step in the order in which they begin. */
const stepPhases = ['collect', 'select', 'credit', 'update', 'report', 'monitor'] as const;
export const lanePhases = [...stepPhases, 'validate', 'save'] as const;
export type LanePhase = (typeof lanePhases)[number];

/** A phase of a step; times in ms since the epoch. */
export interface Block {
  readonly step: number;
  readonly from: number;
  readonly to: number;
}

export interface Lane {
  readonly phase: LanePhase;
  readonly blocks: readonly Block[];
  readonly seconds: number;
}

export interface Lanes {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
  /** in which no phase is known: starting, pauses, what is between steps */
  readonly restSeconds: number;
}

/** Metrics that lanes are drawn from. */
export const laneMetrics = ['time/step_seconds', ...lanePhases.map((phase) => `time/${phase}_seconds`)];

/** Puts the phases of some steps on the clock; undefined: no step of them has its time. */
export function lanesOf(
  series: Readonly<Record<string, Series>>,
  { from, to }: { readonly from: number; readonly to: number },
): Lanes | undefined {
  const blocks = new Map<LanePhase, Block[]>(lanePhases.map((phase) => [phase, []]));
  const add = (phase: LanePhase, step: number, begins: number, seconds: number): void => {
    if (seconds > 0) blocks.get(phase)?.push({ step, from: begins, to: begins + seconds * 1000 });
  };
  const isWanted = (step: number): boolean => step >= from && step <= to;
  for (const { step, value, time } of pointsOf(series['time/step_seconds'])) {
    if (!isWanted(step)) continue;
    let begins = time - value * 1000;
    const saved = valueOf(series['time/save_seconds'], step);
    add('save', step, begins - saved * 1000, saved);
    for (const phase of stepPhases) {
      const seconds = valueOf(series[`time/${phase}_seconds`], step);
      add(phase, step, begins, seconds);
      begins += seconds * 1000;
    }
  }
  for (const { step, value, time } of pointsOf(series['time/validate_seconds']))
    if (isWanted(step)) add('validate', step, time - value * 1000, value);
  const all = [...blocks.values()].flat();
  if (all.length === 0) return undefined;
  const first = Math.min(...all.map((block) => block.from));
  const last = Math.max(...all.map((block) => block.to));
  const lanes = lanePhases.flatMap((phase): Lane[] => {
    const own = blocks.get(phase) ?? [];
    const seconds = own.reduce((sum, block) => sum + (block.to - block.from) / 1000, 0);
    return own.length === 0 ? [] : [{ phase, blocks: own, seconds }];
  });
  const known = lanes.reduce((sum, { seconds }) => sum + seconds, 0);
  return { from: first, to: last, lanes, restSeconds: Math.max(0, (last - first) / 1000 - known) };
}

function* pointsOf(series: Series | undefined) {
  if (series === undefined) return;
  for (const [at, step] of series.steps.entries()) {
    const [value, time] = [series.values[at], series.times[at]];
    if (typeof value === 'number' && typeof time === 'number') yield { step, value, time };
  }
}

function valueOf(series: Series | undefined, step: number): number {
  const at = series?.steps.indexOf(step) ?? -1;
  return series?.values[at] ?? 0;
}
