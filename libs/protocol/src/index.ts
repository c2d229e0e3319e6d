export * from './access.js';
export {
  type ArtifactKind,
  attemptEvent,
  changedSetting,
  healthFinding,
  healthSummary,
  type AttemptEvent,
  type AttemptStream,
  type NumberedEvent,
  trajectoryRow,
  type TrajectoryRow,
} from './attempt-event.js';
export * from './device.js';
export {
  continuedTurn,
  type ContinuedTurn,
  evaluationResult,
  type EvaluationResult,
  maxContinuedTurns,
  maxOutcomes,
  maxRescored,
  tagEvaluation,
} from './evaluation-result.js';
export * from './excerpt.js';
export * from './job.js';
export * from './plugin-environment.js';
export * from './plugin-version.js';
export * from './stream-messages.js';
export * from './worker-messages.js';
