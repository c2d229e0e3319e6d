/** @file What happens to a run, pushed: its metrics, events, trajectories and progress over the GraphQL socket. */
import {
  type RunEventKind,
  WatchEventsDocument,
  type WatchEventsSubscription,
  WatchJobsDocument,
  WatchMetricsDocument,
  type WatchMetricsSubscription,
  WatchProgressDocument,
  type WatchProgressSubscription,
  WatchTrajectoriesDocument,
  type WatchTrajectoriesSubscription,
  WatchWorkersDocument,
} from './generated/operations.js';
import type { Transport } from './transport.js';

/** Metric rows in columns. */
export type MetricBatch = WatchMetricsSubscription['runMetrics'];
/** Records other than metrics. */
export type EventBatch = WatchEventsSubscription['runEvents'];

/** Every loop resumes after a broken connection; those with a cursor miss nothing. */
export interface LiveApi {
  /** Follows metrics of runs, of each from a cursor on. @param names default: all */
  metrics(
    runs: readonly { readonly runId: string; readonly after: number }[],
    names?: readonly string[],
  ): AsyncGenerator<MetricBatch>;
  /** Follows everything else, from a cursor on. @param kinds default: all */
  events(runId: string, after: number, kinds?: readonly RunEventKind[]): AsyncGenerator<EventBatch>;
  /** Follows the trajectories as they are stored, from a cursor on. */
  trajectories(
    runId: string,
    after: number,
  ): AsyncGenerator<WatchTrajectoriesSubscription['trajectoryAdded']>;
  /** Follows the progress of the current step; only the newest is kept. */
  progress(runId: string): AsyncGenerator<WatchProgressSubscription['progress']>;
  /** Yields the id of each worker that changes. */
  workers(): AsyncGenerator<string>;
  /** Yields the id of each job that changes. */
  jobs(): AsyncGenerator<string>;
}

/** Creates the calls that follow. */
export function createLiveApi({ subscribe }: Transport): LiveApi {
  return {
    async *metrics(runs, names) {
      const variables = { runs: [...runs], names: names === undefined ? null : [...names] };
      for await (const { runMetrics } of subscribe(WatchMetricsDocument, variables)) yield runMetrics;
    },
    async *events(runId, after, kinds) {
      const variables = { runId, after, kinds: kinds === undefined ? null : [...kinds] };
      for await (const { runEvents } of subscribe(WatchEventsDocument, variables)) yield runEvents;
    },
    async *trajectories(runId, after) {
      for await (const { trajectoryAdded } of subscribe(WatchTrajectoriesDocument, { runId, after }))
        yield trajectoryAdded;
    },
    async *progress(runId) {
      for await (const { progress } of subscribe(WatchProgressDocument, { runId })) yield progress;
    },
    async *workers() {
      for await (const { workerChanged } of subscribe(WatchWorkersDocument, {})) yield workerChanged.id;
    },
    async *jobs() {
      for await (const { jobChanged } of subscribe(WatchJobsDocument, {})) yield jobChanged.id;
    },
  };
}
