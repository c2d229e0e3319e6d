export { type TrainingExample, buildMiniBatch, listLossPositions } from './batch.js';
export { type Checkpoint, loadCheckpoint, type StartingModel } from './checkpoint.js';
export { comparePaired, type PairedComparison } from './compare-paired.js';
export { createTrainer, type Trainer, type TrainerParts } from './create-trainer.js';
export type { RunSummary } from './end-run.js';
export { evaluateModel, type EvaluateRequest } from './evaluate.js';
export { type EpisodeOutcome, type Evaluation, type TagEvaluation, trainedOutcomes } from './evaluation.js';
export {
  type CorruptCheckpoint,
  type FoundModel,
  loadNewestCheckpoint,
  resolveModelFolder,
} from './find-checkpoint.js';
export { describeBase, openEngine } from './models.js';
export { type PlayedOutcome, playStates } from './play-states.js';
export { bindEnvironment, modelFolderOf, paramsOf, type PluginLookup } from './bind-plugins.js';
export { countCheckpoints } from './healthy-checkpoints.js';
export type { LogStart } from './resume.js';
export { createRunLock } from './run-lock.js';
export { type TrainerState } from './trainer-state.js';
export { loadEvaluation, saveEvaluation } from './validate.js';
