/**
 * @file What a follower and the server say to each other on the socket.io namespace `/stream`.
 * Everything that happens to a run is one list of records, numbered from 1 by its cursor; following is reading that
 * list from a cursor on. The follower says `follow`; the server sends `batch`; after a reconnect the follower says
 * `follow` with the last cursor it has, and nothing is missing or doubled.
 */
import type { Phase } from '@espalier/contracts';
import { z } from 'zod';
import { metricName, size, text } from './bounds.js';

/** What a cursor of a follower means, on sockets, in subscriptions and over REST. */
export const describeAfter =
  'your last cursor; 0: from the beginning; the `head` of the run: only new records';

/** `follow`: from which record on, and which metrics. Answered by `FollowAnswer`. */
export const followMessage = z.object({
  runId: text(64, { least: 1 }).describe('the run'),
  after: size.default(0).describe(describeAfter),
  metrics: z.array(metricName).max(200).optional().describe('default: all'),
});
export type FollowMessage = z.input<typeof followMessage>;

export type FollowAnswer =
  | { readonly ok: true; readonly head: number; readonly state: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Metric rows in columns: row i is `steps[i]`, `times[i]`, `attempts[i]` and `values[name][i]`. */
export interface MetricColumns {
  readonly cursors: readonly number[];
  readonly steps: readonly number[];
  readonly times: readonly number[];
  readonly attempts: readonly number[];
  /** null where the row has no such metric, or it is not a number */
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
  /** rows of metrics that were reported and are NaN or infinite, which JSON cannot hold; absent: none */
  readonly notFinite?: Readonly<Record<string, readonly number[]>> | undefined;
}

/** A record that is no metric row: state changes, checkpoints, warnings, trajectories, logs, artifacts. */
export interface StreamRecord {
  readonly cursor: number;
  readonly kind: string;
  /** ms since the epoch */
  readonly time: number;
  readonly step: number;
  readonly attempt: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `batch`: all records with `after` < cursor ≤ `cursor`. */
export interface StreamBatch {
  readonly runId: string;
  readonly after: number;
  readonly cursor: number;
  readonly metrics: MetricColumns;
  readonly records: readonly StreamRecord[];
}

/** `progress`: where the current step is. Not stored; only the newest matters. */
export interface StreamProgress {
  readonly runId: string;
  readonly step: number;
  readonly steps: number;
  readonly phase: Phase;
  readonly done: number;
  readonly total: number;
}

/** `gap`: the follower was too slow; it follows again from `after` when it has caught up by reading history. */
export interface StreamGap {
  readonly runId: string;
  readonly after: number;
  readonly head: number;
}
