export * from './app-error.js';
export * from './axes.js';
export * from './error-codes.js';
export * from './metric.js';
export * from './policy.js';
export * from './run-event.js';
export * from './run-spec.js';
export * from './trajectory.js';
