/** @file The list of entities and migrations; whoever adds one names it here. */
import { ApiKey } from './entities/api-key.js';
import { Alert } from './entities/alert.js';
import { Artifact } from './entities/artifact.js';
import { AuditEntry } from './entities/audit-entry.js';
import { RunRecord } from './entities/run-record.js';
import { Attempt } from './entities/attempt.js';
import { Job } from './entities/job.js';
import { MetricBlock } from './entities/metric-block.js';
import { Run } from './entities/run.js';
import { TrajectoryEntity } from './entities/trajectory.js';
import { Worker } from './entities/worker.js';
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
