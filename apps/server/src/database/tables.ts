/** @file The list of entities and migrations; whoever adds one names it here. */
import { ApiKey } from '../access/api-key.entity.js';
import { Alert } from '../alerts/alert.entity.js';
import { Artifact } from '../artifacts/artifact.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { RunRecord } from '../events/run-record.entity.js';
import { Attempt } from '../jobs/attempt.entity.js';
import { Job } from '../jobs/job.entity.js';
import { MetricBlock } from '../metrics/metric-block.entity.js';
import { Run } from '../runs/run.entity.js';
import { TrajectoryEntity } from '../trajectories/trajectory.entity.js';
import { Worker } from '../workers/worker.entity.js';
import { Initial1763700000000 } from './migrations/1763700000000-initial.js';
import { Search1763700000001 } from './migrations/1763700000001-search.js';
import { ImportKey1764100000000 } from './migrations/1764100000000-import-key.js';
import { MetricExtent1764200000000 } from './migrations/1764200000000-metric-extent.js';
import { KeptPlugins1764300000000 } from './migrations/1764300000000-kept-plugins.js';
import { AttemptHardware1764400000000 } from './migrations/1764400000000-attempt-hardware.js';

export const entities = [
  ApiKey,
  Alert,
  Artifact,
  Attempt,
  AuditEntry,
  Job,
  MetricBlock,
  Run,
  RunRecord,
  TrajectoryEntity,
  Worker,
];

export const migrations = [
  Initial1763700000000,
  Search1763700000001,
  ImportKey1764100000000,
  MetricExtent1764200000000,
  KeptPlugins1764300000000,
  AttemptHardware1764400000000,
];
