export { KeyService } from './access/key.service.js';
export { type ServerOptions, serverOptions } from './config/server-options.js';
export { type RunningServer, startServer } from './start-server.js';
