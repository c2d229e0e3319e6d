export { type ChildOptions, type ChildResult, runChild, signalledByTerminal } from './child.js';
export { createProgress, formatMinutes, type Progress } from './progress.js';
export { type JobCounts, type JobEnd, runJobs } from './run-jobs.js';
export {
  changedOptions,
  type JobState,
  limitThreads,
  outcomeOf,
  plannedSteps,
  requestedSteps,
  stateOf,
  stepOf,
  type TrainingJob,
} from './training-job.js';
