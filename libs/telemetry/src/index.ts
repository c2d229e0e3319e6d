export { createFolder, createMissingFolders, describeObstacle } from './create-folder.js';
export { createFolderLock, createLock } from './folder-lock.js';
export { findByCommandLine, findByVariable, isGroupAlive, isAlive } from './process-identity.js';
export { killProcess, type ProcessIdentity, signalGroup, startOf } from './process-identity.js';
export { createMetricSink, type MetricRow, readMetrics, truncateMetrics } from './metric-log.js';
export { readRecordedEvents, type RecordedEvent } from './recorded-events.js';
export { dropDamagedLines, rewindFile } from './rewind.js';
export { createOutboxSink } from './outbox.js';
export { isBelowModelRoot, type ModelRoots } from './model-roots.js';
export { isInside, resolveInside } from './resolve-inside.js';
export { createEventLogSink, createMemorySink, createTeeSink } from './sinks.js';
export { decodeTrajectory, encodeTrajectory, type StoredTrajectory } from './trajectory-codec.js';
export {
  createTrajectorySink,
  listTrajectorySteps,
  readTrajectories,
  rewindTrajectories,
  truncateTrajectories,
} from './trajectory-log.js';
