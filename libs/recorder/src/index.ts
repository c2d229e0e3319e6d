export { type AtifContext, toAtif } from './atif.js';
export { createMetricSink, decodeMetricRow, type MetricRow, readMetrics } from './metric-log.js';
export { readRecordedEvents, type RecordedEvent } from './recorded-events.js';
export { createOutboxSink } from './outbox.js';
export { createEventLogSink, createMemorySink, createTeeSink } from './sinks.js';
export {
  decodeRecord,
  decodeTrajectory,
  encodeRecord,
  encodeTrajectory,
  type StoredTrajectory,
} from './trajectory-codec.js';
export {
  createTrajectorySink,
  listTrajectorySteps,
  readTrajectories,
  rewindTrajectories,
} from './trajectory-log.js';
