export { KeyService } from './core/access/key.service.js';
export { type FirstKeys } from './core/access/untold-keys.js';
export { type ServerOptions, serverOptions } from './config/server-options.js';
export { describeStart, stopOnSignals, stopWhenLost } from './serve.js';
export { type RunningServer, startServer } from './start-server.js';
