export { KeyService } from './core/access/key.service.js';
export { type FirstKeys } from './core/access/first-keys.js';
export { type ServerOptions, serverOptions } from './config/server-options.js';
export { serve } from './serve.js';
export { type RunningServer, startServer } from './start-server.js';
