/** @file All entities and migrations. */
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

export const migrations = [Initial1763700000000];
