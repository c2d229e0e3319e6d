/**
 * @file Replays a run folder as events in the outbox format, for a server that imports the run. Each event has its
 * attempt. Phase events were not recorded; trajectories precede the metrics that summarize them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RunEvent, runLayout } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from '@espalier/files';
import { type MetricRow, readMetrics } from './metric-log.js';
import { toOutboxLine } from './outbox.js';
import { listTrajectorySteps, readTrajectories } from './trajectory-log.js';

/** An event of a recorded run, and its attempt, from 1. */
export interface RecordedEvent {
  readonly attempt: number;
  /** in the format of `attemptEvent` of `@espalier/protocol`, stream `trainer` */
  readonly event: object;
}

type Logged = Extract<
  RunEvent,
  { kind: 'run-started' | 'checkpoint' | 'level' | 'warning' | 'monitor' | 'run-ended' }
>;
type TimedEvent =
  | { readonly attempt: number; readonly time: number; readonly event: Logged }
  | { readonly attempt: number; readonly time: number; readonly row: MetricRow };

/**
 * Reads the events of a run from `events.jsonl`, `metrics.jsonl` and `trajectories/` in order, holding the trajectories of
 * one step in memory at a time.
 *
 * @throws recorder.corrupt_log
 */
export function* readRecordedEvents(folder: string): Generator<RecordedEvent> {
  const events = mergeLogs(folder);
  const trajectories = join(folder, runLayout.trajectories);
  const stored = existsSync(trajectories) ? listTrajectorySteps(trajectories) : [];
  const partsBefore = positionTrajectories(events, stored);
  for (const current of events) {
    const { time } = current;
    for (const { step, isTraining } of partsBefore.get(current) ?? [])
      for (const { kept, dropped, update, ...trajectory } of readTrajectories(trajectories, { step }))
        if ((trajectory.split === 'train') === isTraining)
          yield {
            attempt: current.attempt,
            event: toOutboxLine({ kind: 'trajectory', time, step, trajectory, kept, dropped, update }),
          };
    yield {
      attempt: current.attempt,
      event: toOutboxLine('event' in current ? current.event : toMetrics(current.row)),
    };
  }
}

interface Part {
  readonly step: number;
  readonly isTraining: boolean;
}

/**
 * Finds the event that the trajectories of a step precede: the first metrics of the step for training, the last for
 * validation. Trajectories without metrics, because the run was killed, precede the last event.
 */
function positionTrajectories(
  events: readonly TimedEvent[],
  stored: readonly number[],
): Map<TimedEvent, Part[]> {
  const first = new Map<number, TimedEvent>();
  const last = new Map<number, TimedEvent>();
  for (const current of events)
    if ('row' in current) {
      if (!first.has(current.row.step)) first.set(current.row.step, current);
      last.set(current.row.step, current);
    }
  const partsBefore = new Map<TimedEvent, Part[]>();
  const end = events.at(-1);
  const place = (part: Part, before: TimedEvent | undefined): void => {
    if (before !== undefined) partsBefore.set(before, [...(partsBefore.get(before) ?? []), part]);
  };
  for (const step of stored) {
    place({ step, isTraining: false }, last.get(step) ?? end);
    place({ step, isTraining: true }, first.get(step) ?? end);
  }
  return partsBefore;
}

const toMetrics = ({ time, step, values }: MetricRow): RunEvent => ({ kind: 'metrics', time, step, values });

/** Merges both logs by attempt, then time; an attempt starts with run-started and ends with run-ended. */
function mergeLogs(folder: string): TimedEvent[] {
  let attempt = 1;
  const logged = completeLines(join(folder, runLayout.events)).flatMap((line): TimedEvent[] => {
    const event = decodeCheckedLine(line) as Logged | undefined;
    if (event === undefined) return [];
    if (event.kind === 'run-started') attempt = event.attempt;
    return [{ attempt, time: event.time, event }];
  });
  const metricsFile = join(folder, runLayout.metrics);
  const rows = (existsSync(metricsFile) ? readMetrics(metricsFile) : []).map((row): TimedEvent => ({
    attempt: row.attempt,
    time: row.time,
    row,
  }));
  const rank = (current: TimedEvent): number =>
    'row' in current
      ? 1
      : current.event.kind === 'run-started'
        ? 0
        : current.event.kind === 'run-ended'
          ? 3
          : 2;
  return [...logged, ...rows].sort((a, b) => {
    const isEdge = [0, 3].includes(rank(a)) || [0, 3].includes(rank(b));
    return a.attempt - b.attempt || (isEdge ? rank(a) - rank(b) : a.time - b.time || rank(a) - rank(b));
  });
}
