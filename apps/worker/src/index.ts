export { createLog, type Log } from './log.js';
export { startWorker, type Worker } from './start-worker.js';
export {
  loadWorkerOptions,
  workerOptions,
  type WorkerOptions,
  type WorkerOptionsInput,
  type WorkerSettingsOrigin,
} from './worker-options.js';
