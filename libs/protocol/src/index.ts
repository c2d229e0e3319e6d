export * from './access.js';
export * from './attempt-event.js';
export * from './device.js';
export * from './export.js';
export * from './job.js';
export * from './plugin-environment.js';
export * from './stream-messages.js';
export * from './worker-messages.js';
