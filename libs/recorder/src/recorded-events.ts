/**
 * @file A run folder as the events it was made of, in the shape of the spool: what a server needs to know of a run it
 * did not see. Each event comes with its attempt. Phases are gone; trajectories come before the metrics that tell of
 * them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from '@espalier/files';
import { type MetricRow, readMetrics } from './metric-log.js';
import { toOutboxLine } from './outbox.js';
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
 * Reads the events of a run from `events.jsonl`, `metrics.jsonl` and `trajectories/`, in their order; the
 * trajectories of one step at a time are in memory.
 *
 * @throws recorder.corrupt_log
 */
export function* readRecordedEvents(folder: string): Generator<RecordedEvent> {
  const placed = inOrder(folder);
  const trajectories = join(folder, 'trajectories');
  const stored = existsSync(trajectories) ? listTrajectorySteps(trajectories) : [];
  const places = placeTrajectories(placed, stored);
  for (const one of placed) {
    for (const { step, isTraining } of places.get(one) ?? [])
      for (const { kept, ...trajectory } of readTrajectories(trajectories, { step }))
        if ((trajectory.split === 'train') === isTraining)
          yield {
            attempt: one.attempt,
            event: toOutboxLine({ kind: 'trajectory', time: one.time, step, trajectory, kept }),
          };
    yield { attempt: one.attempt, event: toOutboxLine('event' in one ? one.event : toMetrics(one.row)) };
  }
}

interface Part {
  readonly step: number;
  readonly isTraining: boolean;
}

/**
 * Finds the event that the trajectories of a step precede: for training the first metrics of the step, for validation
 * the last. Trajectories without metrics, because the run was cut off, precede the last event.
 */
function placeTrajectories(placed: readonly Placed[], stored: readonly number[]): Map<Placed, Part[]> {
  const [first, last] = [new Map<number, Placed>(), new Map<number, Placed>()];
  for (const one of placed)
    if ('row' in one) {
      if (!first.has(one.row.step)) first.set(one.row.step, one);
      last.set(one.row.step, one);
    }
  const places = new Map<Placed, Part[]>();
  const end = placed.at(-1);
  const place = (part: Part, before: Placed | undefined): void => {
    if (before !== undefined) places.set(before, [...(places.get(before) ?? []), part]);
  };
  for (const step of stored) {
    place({ step, isTraining: false }, last.get(step) ?? end);
    place({ step, isTraining: true }, first.get(step) ?? end);
  }
  return places;
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
