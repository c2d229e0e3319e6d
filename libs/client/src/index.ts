export type { ArtifactsApi, StoredFile } from './artifacts.js';
export type { Connection } from './connection.js';
export { type Client, createClient } from './create-client.js';
export type { FollowOptions } from './follow-run.js';
export type {
  ApiKeyOrder,
  BulkRunsInput,
  CreateKeyInput,
  CreateRunInput,
  PlanRunInput,
  RunFilter,
  RunOrder,
  TrajectoryOrder,
  TrajectorySearch,
  WorkerOrder,
} from './generated/operations.js';
export type {
  HistoryRange,
  MetricName,
  MetricsApi,
  MetricSeries,
  TrajectoriesApi,
  TrajectoryDetails,
  TrajectoryRow,
} from './records.js';
export type { Me, Project } from './me.js';
export type { ApiKey, KeysApi } from './keys.js';
export type { Worker, WorkersApi } from './workers.js';
export type {
  Attempt,
  Checkpoint,
  Evaluation,
  Job,
  Run,
  RunComparison,
  RunDetails,
  RunPlan,
  RunsApi,
} from './runs.js';
export type { Page, PageRequest } from './pages.js';
