/** @file The entry point for tests and measurements: `@espalier/server/testing`. */
export { countJobs, createTestKey, createWaitingJobs } from './fill-server.js';
