/** @file The records of runs: metric history, logs and trajectories. */
import {
  CountRunEventsDocument,
  type CountRunEventsQuery,
  CountTrajectoriesDocument,
  type CountTrajectoriesQuery,
  ListLogLinesDocument,
  ListRunEventsDocument,
  type ListLogLinesQuery,
  ListTrajectoriesDocument,
  type LogFilter,
  type LogLineOrder,
  MetricHistoryDocument,
  type MetricHistoryQuery,
  MetricNamesDocument,
  type MetricNamesQuery,
  OpenTrajectoryDocument,
  ReadAtifDocument,
  PlayTrajectoryDocument,
  type PlayTrajectoryQuery,
  type OpenTrajectoryQuery,
  type RecordFieldsFragment,
  type RunEventFilter,
  type RunEventOrder,
  ReadTokensDocument,
  type ReadTokensQuery,
  ShowTrajectoryDocument,
  type ShowTrajectoryQuery,
  type TrajectoryOrder,
  type TrajectoryRowFieldsFragment,
  type TrajectorySearch,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, readPages, toPage } from './pages.js';
import type { Answered, Transport } from './transport.js';

export type MetricSeries = NonNullable<Answered<MetricHistoryQuery>['metricHistory'][number]>;
export type MetricName = Answered<MetricNamesQuery>['metricNames'][number];
/** A line that the process of a run printed. */
export type LogLine = Answered<ListLogLinesQuery>['runLogs']['nodes'][number];
/** What happened to a run, as lists and followers have it. */
export type RunEvent = RecordFieldsFragment;
/** How many events there are, by kind and range of steps, up to a cursor. */
export type RunEventCounts = Answered<CountRunEventsQuery>['runEventCounts'];
/** A trajectory as lists show it. */
export type TrajectoryRow = TrajectoryRowFieldsFragment;
/** A whole trajectory: tokens, log-probabilities, spans, turns, scores. */
export type TrajectoryDetails = Answered<ShowTrajectoryQuery>['trajectory'];

/** A trajectory with an overview of its tokens in place of all of them. */
export type TrajectoryOverview = Answered<OpenTrajectoryQuery>['trajectory'];
/** Some tokens of a trajectory in columns: what was recorded, and what the update did to each. */
export type TrajectoryTokens = Answered<ReadTokensQuery>['trajectory']['tokenPage'];

/** A state of a trajectory that was reached by hand. */
export type PlayedState = Answered<PlayTrajectoryQuery>['playTrajectory'];

/** Selects trajectories of one run. */
export type TrajectoryFilter = Omit<TrajectorySearch, 'runIds' | 'project' | 'tag'>;

/** A part of a history. */
export interface HistoryRange {
  readonly fromStep?: number;
  readonly toStep?: number;
  /** maximum number of points per series, 2 to 20000; default 1000 */
  readonly points?: number;
  /** significant digits of values that are not whole, 1 to 17; default: all */
  readonly digits?: number;
  /** whether the time of each point is read; default: true */
  readonly times?: boolean;
  /** whether a decimated series comes with the least, greatest and mean value of each part; default: true */
  readonly buckets?: boolean;
}

export interface MetricsApi {
  /**
   * Reads series by step and time: for each run, each metric in the order of `names`; null where the run has had no such
   * metric. Longer ones are decimated without losing an extremum.
   */
  history(
    runIds: readonly string[],
    names: readonly string[],
    range?: HistoryRange,
  ): Promise<readonly (MetricSeries | null)[]>;
  /** Lists the metrics of a run with their newest values. */
  names(runId: string): Promise<readonly MetricName[]>;
}

export interface LogsApi {
  /** Lists a page of lines, oldest first unless ordered otherwise. */
  list(
    runId: string,
    filter?: LogFilter,
    page?: PageRequest & { readonly orderBy?: LogLineOrder },
  ): Promise<Page<LogLine>>;
  /** Iterates over all lines. */
  all(runId: string, filter?: LogFilter, orderBy?: LogLineOrder): AsyncGenerator<LogLine>;
}

export interface EventsApi {
  /** Lists a page of what happened besides metrics, newest first unless ordered otherwise. */
  list(
    runId: string,
    filter?: RunEventFilter,
    page?: PageRequest & { readonly orderBy?: RunEventOrder },
  ): Promise<Page<RunEvent>>;
  /** Counts by kind and range of steps. @param ranges at most, 1 to 2000; default 500 */
  counts(runId: string, filter?: RunEventFilter, ranges?: number): Promise<RunEventCounts>;
}

export interface TrajectoriesApi {
  /** Lists a page of trajectories of a run, by step unless ordered otherwise; a text filter searches observations and responses. */
  list(
    runId: string,
    filter?: TrajectoryFilter,
    page?: PageRequest & { readonly orderBy?: TrajectoryOrder },
  ): Promise<Page<TrajectoryRow>>;
  /** Lists a page of trajectories of several runs, or of all that the key may see. */
  search(
    filter?: TrajectorySearch,
    page?: PageRequest & { readonly orderBy?: TrajectoryOrder },
  ): Promise<Page<TrajectoryRow>>;
  /** Counts the trajectories of each step, and those that match. */
  counts(
    runId: string,
    filter?: TrajectoryFilter,
  ): Promise<Answered<CountTrajectoriesQuery>['trajectoryCounts']>;
  /** @param id such as train/3/0/1: split, step, group, index */
  get(runId: string, id: string): Promise<TrajectoryDetails>;
  /** Reads one with its tokens summed up in `buckets` parts of equal length, 1 to 2000; default 1000. */
  open(runId: string, id: string, buckets?: number): Promise<TrajectoryOverview>;
  /** Reads `count` tokens, 1 to 20000 and 4096 by default, from token `from` on. */
  tokens(
    runId: string,
    id: string,
    part?: { readonly from?: number; readonly count?: number },
  ): Promise<TrajectoryTokens>;
  /** Reads one in ATIF, the format of Harbor. */
  atif(runId: string, id: string): Promise<Readonly<Record<string, unknown>>>;
  /** Brings its environment to the state before `turn`, from 0, and takes actions there; nothing is stored. */
  play(runId: string, id: string, turn: number, actions?: readonly string[]): Promise<PlayedState>;
}

/** Creates the calls about metrics. */
export function createMetricsApi({ request }: Transport): MetricsApi {
  return {
    async history(runIds, names, range = {}) {
      const {
        fromStep = null,
        toStep = null,
        points = 1000,
        digits = null,
        times = true,
        buckets = true,
      } = range;
      const parts = { fromStep, toStep, points, digits, times, buckets };
      const variables = { runIds: [...runIds], names: [...names], ...parts };
      return (await request(MetricHistoryDocument, variables)).metricHistory;
    },
    names: async (runId) => (await request(MetricNamesDocument, { runId })).metricNames,
  };
}

/** Creates the calls about logs. */
export function createLogsApi({ request }: Transport): LogsApi {
  const list: LogsApi['list'] = async (id, filter = {}, { orderBy = null, ...page } = {}) => {
    const variables = { id, filter, orderBy, ...pageVariables(page) };
    return toPage((await request(ListLogLinesDocument, variables)).runLogs);
  };
  return {
    list,
    all: (runId, filter, orderBy) =>
      readPages((page) => list(runId, filter, { ...page, ...(orderBy !== undefined && { orderBy }) })),
  };
}

/** Creates the calls about events. */
export function createEventsApi({ request }: Transport): EventsApi {
  return {
    async list(runId, filter = {}, { orderBy = null, ...page } = {}) {
      const variables = { runId, filter, orderBy, ...pageVariables(page) };
      return toPage((await request(ListRunEventsDocument, variables)).runEvents);
    },
    counts: async (runId, filter = {}, ranges = 500) =>
      (await request(CountRunEventsDocument, { runId, filter, ranges })).runEventCounts,
  };
}

/** Creates the calls about trajectories. */
export function createTrajectoriesApi({ request }: Transport): TrajectoriesApi {
  const search: TrajectoriesApi['search'] = async (filter = {}, { orderBy = null, ...page } = {}) => {
    const variables = { filter, orderBy, ...pageVariables(page) };
    return toPage((await request(ListTrajectoriesDocument, variables)).trajectories);
  };
  return {
    list: (runId, filter, page) => search({ ...filter, runIds: [runId] }, page),
    search,
    counts: async (runId, filter = {}) =>
      (await request(CountTrajectoriesDocument, { runId, filter })).trajectoryCounts,
    get: async (runId, id) => (await request(ShowTrajectoryDocument, { runId, id })).trajectory,
    open: async (runId, id, buckets = 1000) =>
      (await request(OpenTrajectoryDocument, { runId, id, buckets })).trajectory,
    tokens: async (runId, id, { from = 0, count = 4096 } = {}) =>
      (await request(ReadTokensDocument, { runId, id, from, count })).trajectory.tokenPage,
    atif: async (runId, id) =>
      (await request(ReadAtifDocument, { runId, id })).trajectory.atif as Record<string, unknown>,
    play: async (runId, id, turn, actions = []) =>
      (await request(PlayTrajectoryDocument, { runId, id, turn, actions: [...actions] })).playTrajectory,
  };
}
