export { createScriptedEngine, type ScriptedAnswer, type ScriptedEngineOptions, type ScriptedQuestion } from './scripted-engine.js';
export { createEmbeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.js';
