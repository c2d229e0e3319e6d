/**
 * @file A run folder as the events it was made of, in the shape of the spool: what a server needs to know of a run it
 * did not see. Each event comes with its attempt. Phases are gone; trajectories come before the metrics of their step.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from './checked-line.js';
import { type MetricRow, readMetrics } from './metric-log.js';
import { toSpoolLine } from './spool.js';
import { listTrajectorySteps, readTrajectories } from './trajectory-log.js';

/** An event of a recorded run, and the attempt it came from, from 1. */
export interface RecordedEvent {
  readonly attempt: number;
  /** in the shape of `attemptEvent` of `@espalier/protocol`, of the stream `trainer` */
  readonly event: object;
}

type Logged = Extract<RunEvent, { kind: 'run-started' | 'checkpoint' | 'warning' | 'run-ended' }>;
type Placed =
  | { readonly attempt: number; readonly time: number; readonly event: Logged }
  | { readonly attempt: number; readonly time: number; readonly row: MetricRow };

/**
 * Reads the events of a run from `events.jsonl`, `metrics.jsonl` and `trajectories/`, in their order; one step's
 * trajectories at a time are in memory.
 *
 * @throws telemetry.broken_log
 */
export function* readRecordedEvents(folder: string): Generator<RecordedEvent> {
  const placed = inOrder(folder);
  const trajectories = join(folder, 'trajectories');
  const lastRowOf = new Map<number, Placed>();
  for (const one of placed) if ('row' in one) lastRowOf.set(one.row.step, one);
  const pending = new Set(existsSync(trajectories) ? listTrajectorySteps(trajectories) : []);
  const last = placed.at(-1);
  for (const one of placed) {
    const isEnd = one === last && 'event' in one && one.event.kind === 'run-ended';
    for (const step of stepsBefore(one, isEnd, pending, lastRowOf)) {
      pending.delete(step);
      yield* trajectoriesOf(trajectories, step, one);
    }
    yield { attempt: one.attempt, event: toSpoolLine('event' in one ? one.event : toMetrics(one.row)) };
  }
  if (last !== undefined) for (const step of pending) yield* trajectoriesOf(trajectories, step, last);
}

/** Steps whose trajectories come before an event: those of the last metrics of the step; before the end, the rest. */
function stepsBefore(
  one: Placed,
  isEnd: boolean,
  pending: ReadonlySet<number>,
  lastRowOf: ReadonlyMap<number, Placed>,
): number[] {
  if (isEnd) return [...pending];
  return 'row' in one && lastRowOf.get(one.row.step) === one && pending.has(one.row.step)
    ? [one.row.step]
    : [];
}

function* trajectoriesOf(folder: string, step: number, { attempt, time }: Placed): Generator<RecordedEvent> {
  for (const { kept, ...trajectory } of readTrajectories(folder, { step }))
    yield { attempt, event: toSpoolLine({ kind: 'trajectory', time, step, trajectory, kept }) };
}

const toMetrics = ({ time, step, values }: MetricRow): RunEvent => ({ kind: 'metrics', time, step, values });

/** Both logs by attempt, then by time; an attempt begins with its start and ends with its end. */
function inOrder(folder: string): Placed[] {
  let attempt = 1;
  const logged = completeLines(join(folder, 'events.jsonl')).flatMap((line): Placed[] => {
    const event = decodeCheckedLine(line) as Logged | undefined;
    if (event === undefined) return [];
    if (event.kind === 'run-started') attempt = event.attempt;
    return [{ attempt, time: event.time, event }];
  });
  const metricsFile = join(folder, 'metrics.jsonl');
  const rows = (existsSync(metricsFile) ? readMetrics(metricsFile) : []).map((row): Placed => ({
    attempt: row.attempt,
    time: row.time,
    row,
  }));
  const rank = (one: Placed): number =>
    'row' in one ? 1 : one.event.kind === 'run-started' ? 0 : one.event.kind === 'run-ended' ? 3 : 2;
  return [...logged, ...rows].sort((a, b) => {
    const isEdge = [0, 3].includes(rank(a)) || [0, 3].includes(rank(b));
    return a.attempt - b.attempt || (isEdge ? rank(a) - rank(b) : a.time - b.time || rank(a) - rank(b));
  });
}
