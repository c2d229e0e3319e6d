/** @file What happens to a run, pushed: its metrics, events, trajectories and progress over the GraphQL socket. */
import {
  type RunEventKind,
  ListInFlightDocument,
  type InFlightFieldsFragment,
  type InFlightSummaryFragment,
  WatchAlertsDocument,
  type WatchAlertsSubscription,
  WatchEventsDocument,
  WatchInFlightDocument,
  WatchInFlightSummariesDocument,
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

/** What a list shows of one. */
export type InFlightSummary = InFlightSummaryFragment;

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
  /** Episodes that are played now, as far as the trainer tells. @param ids default: all */
  listInFlight(runId: string, ids?: readonly string[]): Promise<readonly TrajectoryInFlight[]>;
  /**
   * Follows episodes as their turns are played: those that are played now, then those that changed, at most twice a second
   * and in their newest state. @param ids default: all
   */
  inFlight(runId: string, ids?: readonly string[]): AsyncGenerator<readonly TrajectoryInFlight[]>;
  /** The same without the turns. */
  inFlightSummaries(runId: string): AsyncGenerator<readonly InFlightSummary[]>;
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
    async listInFlight(runId, ids) {
      const variables = { runId, ids: ids === undefined ? null : [...ids] };
      return (await request(ListInFlightDocument, variables)).trajectoriesInFlight;
    },
    async *inFlight(runId, ids) {
      const variables = { runId, ids: ids === undefined ? null : [...ids] };
      for await (const one of subscribe(WatchInFlightDocument, variables)) yield one.trajectoriesInFlight;
    },
    async *inFlightSummaries(runId) {
      for await (const one of subscribe(WatchInFlightSummariesDocument, { runId }))
        yield one.trajectoriesInFlight;
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
