export {
  createScriptedEngine,
  type ScriptedAnswer,
  type ScriptedEngineOptions,
  type ScriptedQuestion,
} from './scripted-engine.js';
export {
  createMessageEngine,
  createMessageTokenizer,
  type MessageQuestion,
  type MessageReply,
} from './message-engine.js';
export { createEmbeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.js';
export { measurePadding, type PaddingReport, type PlannedMicroBatch } from './measure-padding.js';
export * as samplingRules from './sampler/sampling-rules.js';
export {
  chooseMicroBatchTokens,
  chooseRecompute,
  FEWEST_TOKENS,
  type RecomputeMode,
} from './memory-choice.js';
export { estimateKeptSessions, isLargeModel } from './session-budget.js';
export type { ConformanceCase, ConformanceSubject } from './testing/conformance-case.js';
export { engineConformance } from './testing/engine-conformance.js';
export { checkDatum, checkSampleRequest, checkScoreRequest, type ModelLimits } from './check-requests.js';
