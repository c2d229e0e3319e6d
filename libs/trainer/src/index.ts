export { type TrainingExample, buildMiniBatch, listLossPositions } from './batch.js';
export { type Checkpoint, listCheckpoints, loadCheckpoint, type StartingModel } from './checkpoint.js';
export { comparePaired, type PairedComparison } from './compare-paired.js';
export { createTrainer, type Trainer, type TrainerParts } from './create-trainer.js';
export { createFolder, hashFile } from './durable-folder.js';
export type { RunSummary } from './end-run.js';
export { evaluateModel, type EvaluateRequest } from './evaluate.js';
export type { EpisodeOutcome, Evaluation } from './evaluation.js';
export {
  type BrokenCheckpoint,
  type FoundModel,
  loadNewestCheckpoint,
  resolveModelFolder,
} from './find-checkpoint.js';
export { openEngine } from './models.js';
export type { PluginLookup } from './bind-plugins.js';
export type { LogStart } from './resume.js';
export { checkpointsFolder, specFile, validationFile } from './run-folder.js';
export { isCounted, type TrainerState } from './trainer-state.js';
export { loadEvaluation, saveEvaluation } from './validate.js';
export { expectEpisodes, type ExpectedTurn } from './warm-start/expected-episodes.js';
export { describeProgress, type WarmStartProgress } from './warm-start/progress.js';
export { warmStart, type WarmStartParts, type WarmStartResult } from './warm-start/warm-start.js';
