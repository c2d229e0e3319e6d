/** @file What happens to a run, pushed: its metrics, events, trajectories and progress over the GraphQL socket. */
import {
  type RunEventKind,
  ListInFlightDocument,
  type InFlightFieldsFragment,
  WatchAlertsDocument,
  type WatchAlertsSubscription,
  WatchEventsDocument,
  WatchInFlightDocument,
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

/** An episode that is played, or was just played: its newest turns. */
export type TrajectoryInFlight = InFlightFieldsFragment;

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
  /** Episodes that are played now, as far as the trainer tells. */
  listInFlight(runId: string): Promise<readonly TrajectoryInFlight[]>;
  /** Follows episodes as their turns are played, those that are played now first; only the newest state of each is kept. */
  inFlight(runId: string): AsyncGenerator<TrajectoryInFlight>;
  /** Yields each alert that is raised or acknowledged. @param runId default: of all runs that the key may see */
  alerts(runId?: string): AsyncGenerator<WatchAlertsSubscription['alertChanged']>;
  /** Yields the id of each worker that changes. */
  workers(): AsyncGenerator<string>;
  /** Yields the id of each job that changes. */
  jobs(): AsyncGenerator<string>;
}

/** Creates the calls that follow. */
export function createLiveApi({ request, subscribe }: Transport): LiveApi {
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
    listInFlight: async (runId) => (await request(ListInFlightDocument, { runId })).trajectoriesInFlight,
    async *inFlight(runId) {
      for await (const { trajectoryInFlight } of subscribe(WatchInFlightDocument, { runId }))
        yield trajectoryInFlight;
    },
    async *alerts(runId) {
      for await (const { alertChanged } of subscribe(WatchAlertsDocument, { runId: runId ?? null }))
        yield alertChanged;
    },
    async *workers() {
      for await (const { workerChanged } of subscribe(WatchWorkersDocument, {})) yield workerChanged.id;
    },
    async *jobs() {
      for await (const { jobChanged } of subscribe(WatchJobsDocument, {})) yield jobChanged.id;
    },
  };
}
