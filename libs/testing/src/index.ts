export * from './folders.js';
export { createLongTrajectory, longestShape, type LongShape } from './long-trajectory.js';
export * from './numeric.js';
export { emptyClusterVariable, type PostgresService, startPostgres } from './postgres.js';
export * from './service-process.js';
export * from './tensor-matchers.js';
export * from './wait-for.js';
