export { createLogger, type Logger } from './logger.js';
export { startWorker, type Worker } from './start-worker.js';
export {
  loadWorkerOptions,
  workerOptions,
  type WorkerOptions,
  type WorkerOptionsInput,
  type WorkerSettingsOrigin,
} from './worker-options.js';
