export { createEngineServer, type EngineServer, type EngineServerOptions } from './server/engine-server.js';
export type { LoraConfigJson, ServedBase } from './server/served-model.js';
