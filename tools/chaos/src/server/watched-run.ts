/**
 * @file A run of the experiment, followed from its first record through every fault, as a person at a dashboard would.
 * What the follower got is kept, and compared at the end with what the server has stored.
 */
import type { Client } from '@espalier/client';
import { restingStates, type StreamBatch } from '@espalier/protocol';
import { waitFor } from '@espalier/testing';
import type { Stage } from './stage.js';

/** One record of a run, a metric row too. */
export interface Told {
  readonly cursor: number;
  readonly kind: string;
  readonly step: number;
  readonly attempt: number;
  /** body of a record, values of a row: JSON */
  readonly body: string;
}

/** Where a run is: the newest attempt that a worker holds, and how much that has said. */
export interface Mark {
  readonly attemptId: string;
  readonly rows: number;
}

export interface WatchedRun {
  readonly id: string;
  /** everything the follower got, in the order it came */
  readonly told: readonly Told[];
  /** pieces that did not follow on the one before */
  readonly breaks: readonly string[];
  /** the follower saw it come to rest */
  isOver(): boolean;
  mark(): Mark;
  /** Its training has gone on since then, or is done. */
  hasAdvanced(since: Mark): boolean;
  /** Resolves when the follower has ended. */
  readonly followed: Promise<void>;
}

/** Splits a batch into its records, by cursor. */
export function listTold({ metrics, records }: StreamBatch): Told[] {
  const rows = metrics.cursors.map((cursor, row) => {
    const values = Object.entries(metrics.values).map(
      ([name, column]) => [name, column[row] ?? null] as const,
    );
    const known = Object.fromEntries(values.filter(([, value]) => value !== null).sort());
    const [step = -1, attempt = 0] = [metrics.steps[row], metrics.attempts[row]];
    const body = JSON.stringify({ time: metrics.times[row], values: known });
    return { cursor, kind: 'metrics', step, attempt, body };
  });
  const others = records.map(({ cursor, kind, step, attempt, time, body }) => {
    return { cursor, kind, step, attempt, body: JSON.stringify({ time, body }) };
  });
  return [...rows, ...others].sort((a, b) => a.cursor - b.cursor);
}

/** Reads everything the server has stored about a run. */
export async function readStored(client: Client, runId: string): Promise<Told[]> {
  const all: Told[] = [];
  for await (const batch of client.follow(runId, { until: 'now' })) all.push(...listTold(batch));
  return all;
}

/** Creates a run and follows it; resolves when its first records have come. */
export async function startRun(stage: Stage, spec: Readonly<Record<string, unknown>>): Promise<WatchedRun> {
  const { id } = await stage.client.runs.create({ spec });
  const told: Told[] = [];
  const breaks: string[] = [];
  let isOver = false;
  const follow = async (): Promise<void> => {
    let last = 0;
    for await (const batch of stage.client.follow(id)) {
      if (batch.after !== last) breaks.push(`a batch after ${batch.after} came after cursor ${last}`);
      last = batch.cursor;
      told.push(...listTold(batch));
    }
    isOver = true;
  };
  const followed = follow();
  followed.catch((error: unknown) => {
    breaks.push(`following ended with ${String(error)}`);
    isOver = true;
  });
  await waitFor(`run ${id} is followed`, () => told.length > 0 || isOver);
  const mark = (): Mark => {
    const held = stage.newestOf(id);
    return { attemptId: held?.attemptId ?? '', rows: held?.rows ?? 0 };
  };
  return {
    id,
    told,
    breaks,
    followed,
    mark,
    isOver: () => isOver,
    hasAdvanced(since) {
      const held = stage.newestOf(id);
      if (held === undefined) return isOver;
      if (held.hasEnded) return true;
      return held.rows > (held.attemptId === since.attemptId ? since.rows : 0);
    },
  };
}

/** Tells whether a state is one in which nothing more happens. */
export function isResting(state: string): boolean {
  return (restingStates as readonly string[]).includes(state);
}
