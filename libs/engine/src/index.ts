export { createScriptedEngine, type ScriptedAnswer, type ScriptedEngineOptions, type ScriptedQuestion } from './scripted-engine.js';
