export { createLog, type Log } from './log.js';
export { startWorker, type Worker } from './start-worker.js';
export {
  loadWorkerOptions,
  workerOptions,
  type WorkerOptions,
  type WorkerOptionsInput,
} from './worker-options.js';
