export { createTinkerEngine, type TinkerEngineOptions } from './tinker-engine.js';
export { describeLosses, keyFor, validateForEngine } from './plan-tinker.js';
export { type ProbedServer, probeServer } from './probe-server.js';
