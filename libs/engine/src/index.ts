export {
  createScriptedEngine,
  type ScriptedAnswer,
  type ScriptedEngineOptions,
  type ScriptedQuestion,
} from './scripted-engine.js';
export { createEmbeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.js';
export type { ConformanceCase, ConformanceSubject } from './testing/conformance-case.js';
export { engineConformance } from './testing/engine-conformance.js';
