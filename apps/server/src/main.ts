import { resolveDeployment } from '@espalier/config';
import { serverOptions } from './config/server-options.js';
import { startServer } from './start-server.js';

const options = resolveDeployment(serverOptions, 'config/server.yaml', process.env, 'ESPALIER__SERVER');
const server = await startServer(options);
process.stdout.write(`espalier server: ${server.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
