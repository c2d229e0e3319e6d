/**
 * @file A run of the experiment, followed through every fault, as a dashboard would. The followed records are compared at
 * the end with those that the server stored.
 */
import type { Client } from '@espalier/client';
import { stoppedStates, type StreamBatch } from '@espalier/protocol';
import { waitFor } from '@espalier/testing';
import type { Cluster } from './cluster.js';

/** One record of a run; a metrics row is one too. */
export interface FollowedRecord {
  readonly cursor: number;
  readonly kind: string;
  readonly step: number;
  readonly attempt: number;
  /** body of a record, values of a row: JSON */
  readonly body: string;
}

/** Progress of a run: the newest attempt on a worker, and its number of metrics rows. */
export interface Mark {
  readonly attemptId: string;
  readonly rows: number;
}

export interface WatchedRun {
  readonly id: string;
  /** all records of the follower, in order of arrival */
  readonly history: readonly FollowedRecord[];
  /** batches that did not continue the previous one */
  readonly breaks: readonly string[];
  /** the follower saw its end */
  isOver(): boolean;
  mark(): Mark;
  /** Whether training has advanced since the mark, or has finished. */
  hasAdvanced(since: Mark): boolean;
  /** Resolves when the follower has ended. */
  readonly followed: Promise<void>;
}

/** Splits a batch into its records, by cursor. */
export function listRecords({ metrics, records }: StreamBatch): FollowedRecord[] {
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

/** Reads all records that the server stored of a run. */
export async function readStored(client: Client, runId: string): Promise<FollowedRecord[]> {
  const all: FollowedRecord[] = [];
  for await (const batch of client.follow(runId, { until: 'now' })) all.push(...listRecords(batch));
  return all;
}

/** Creates a run and follows it; resolves with the first records. */
export async function startRun(
  cluster: Cluster,
  spec: Readonly<Record<string, unknown>>,
): Promise<WatchedRun> {
  const { id } = await cluster.client.runs.create({ spec });
  const history: FollowedRecord[] = [];
  const breaks: string[] = [];
  let isOver = false;
  const follow = async (): Promise<void> => {
    let last = 0;
    for await (const batch of cluster.client.follow(id)) {
      if (batch.after !== last) breaks.push(`a batch after ${batch.after} came after cursor ${last}`);
      last = batch.cursor;
      history.push(...listRecords(batch));
    }
    isOver = true;
  };
  const followed = follow();
  followed.catch((error: unknown) => {
    breaks.push(`following ended with ${String(error)}`);
    isOver = true;
  });
  await waitFor(`run ${id} is followed`, () => history.length > 0 || isOver);
  const mark = (): Mark => {
    const held = cluster.newestOf(id);
    return { attemptId: held?.attemptId ?? '', rows: held?.rows ?? 0 };
  };
  return {
    id,
    history,
    breaks,
    followed,
    mark,
    isOver: () => isOver,
    hasAdvanced(since) {
      const held = cluster.newestOf(id);
      if (held === undefined) return isOver;
      if (held.hasEnded) return true;
      return held.rows > (held.attemptId === since.attemptId ? since.rows : 0);
    },
  };
}

/** Whether a state is terminal. */
export function isTerminal(state: string): boolean {
  return (stoppedStates as readonly string[]).includes(state);
}
