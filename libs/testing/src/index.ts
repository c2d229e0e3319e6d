export * from './folders.js';
export * from './numeric.js';
export { emptyClusterVariable, type PostgresService, startPostgres } from './postgres.js';
export * from './service-process.js';
export * from './tensor-matchers.js';
export * from './wait-for.js';
