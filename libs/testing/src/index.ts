export * from './golden-folder.js';
export * from './finite-difference.js';
export { type PostgresService, startPostgres } from './postgres.js';
export * from './random-array.js';
export * from './remove-folder.js';
export * from './service-process.js';
export * from './tensor-matchers.js';
export * from './until.js';
