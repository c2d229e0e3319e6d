export { type Clock, createManualClock, systemClock } from './clock.js';
export { createEventLogSink } from './event-log.js';
export { createFolder, createMissingFolders, describeObstacle } from './create-folder.js';
export { createFolderLock, createLock } from './folder-lock.js';
export { findByCommandLine, findByVariable, isGroupLiving, isLiving } from './living.js';
export { killOne, type Living, signalGroup, startOf } from './living.js';
export { createMetricSink, type MetricRow, readMetrics, truncateMetrics } from './metric-log.js';
export { readRecordedEvents, type RecordedEvent } from './recorded-events.js';
export { dropDamagedLines, rewindFile } from './rewind.js';
export { createSpoolSink } from './spool.js';
export { isBelowModelRoot, type ModelRoots } from './model-roots.js';
export { isInside, resolveInside } from './resolve-inside.js';
export { createMemorySink, createTeeSink } from './sinks.js';
export { decodeTrajectory, encodeTrajectory, type StoredTrajectory } from './trajectory-codec.js';
export {
  createTrajectorySink,
  listTrajectorySteps,
  readTrajectories,
  rewindTrajectories,
  truncateTrajectories,
} from './trajectory-log.js';
