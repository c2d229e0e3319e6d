export { createShipment, type Shipment } from './shipment.js';
export type { TrackedEnd, TrackedRun } from './tracker.js';
export { createTrackerSink, type TrackerSink } from './tracker-sink.js';
export { type NamedTracker, parseTracker, trackerForms } from './tracker-target.js';
