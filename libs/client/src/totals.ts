/** @file How long lists are. */
import {
  type AlertFilter,
  TotalAlertsDocument,
  TotalJobsDocument,
  TotalKeysDocument,
  TotalRatingSetsDocument,
  TotalRunsDocument,
  TotalTrajectoriesDocument,
  TotalWorkersDocument,
  type JobState,
  type RatingSetFilter,
  type RunFilter,
  type TrajectorySearch,
} from './generated/operations.js';
import type { Transport } from './transport.js';

/** Counts what a list has in all: a query over the whole of it. */
export interface TotalsApi {
  alerts(filter?: AlertFilter): Promise<number>;
  jobs(states: readonly JobState[]): Promise<number>;
  keys(): Promise<number>;
  ratingSets(filter?: RatingSetFilter): Promise<number>;
  runs(filter?: RunFilter): Promise<number>;
  trajectories(filter?: TrajectorySearch): Promise<number>;
  workers(): Promise<number>;
}

/** Creates these calls. */
export function createTotalsApi({ request }: Transport): TotalsApi {
  return {
    alerts: async (filter = {}) => (await request(TotalAlertsDocument, { filter })).alerts.totalCount,
    jobs: async (states) => (await request(TotalJobsDocument, { states: [...states] })).jobs.totalCount,
    keys: async () => (await request(TotalKeysDocument, {})).keys.totalCount,
    ratingSets: async (filter = {}) =>
      (await request(TotalRatingSetsDocument, { filter })).ratingSets.totalCount,
    runs: async (filter = {}) => (await request(TotalRunsDocument, { filter })).runs.totalCount,
    trajectories: async (filter = {}) =>
      (await request(TotalTrajectoriesDocument, { filter })).trajectories.totalCount,
    workers: async () => (await request(TotalWorkersDocument, {})).workers.totalCount,
  };
}
