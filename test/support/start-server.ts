/** @file Starts the control plane in this process, on a free port with its own database in a temporary folder. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, type ServerOptions, serverOptions, startServer } from '@espalier/server';
import { removeFolder } from '@espalier/testing';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { PluginCatalogue } from '../../apps/server/src/core/plugins/plugin-catalogue.service.js';
import { shareCatalogue } from './shared-catalogue.js';

export interface TestServer {
  readonly url: string;
  /** `get` of it gives any service of the server */
  readonly app: RunningServer['app'];
  readonly adminKey: string;
  readonly workerKey: string;
  readonly options: ServerOptions;
  /** Creates another key; by default it sees all projects. */
  createKey(request: {
    name: string;
    role: 'viewer' | 'operator' | 'admin' | 'worker';
    projects?: string[];
    maxRunning?: number;
  }): Promise<string>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
  /** Stops the server and starts it again on the same folder and port, with the same keys. @param whileAway waited for between */
  restart(whileAway?: () => Promise<unknown>): Promise<TestServer>;
}

type Given = Partial<Record<keyof ServerOptions, unknown>>;

/** Starts a server. @param given settings that differ from the default */
export async function startTestServer(given: Given = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-server-'));
  return start(serverOptions.parse({ port: 0, logLevel: 'silent', data: folder, ...given }), folder);
}

async function start(options: ServerOptions, folder: string, keys?: readonly string[]): Promise<TestServer> {
  const { url, app, close } = await startServer(options);
  shareCatalogue(app.get(PluginCatalogue), options);
  const createKey: TestServer['createKey'] = async ({ projects = ['*'], ...rest }) =>
    (await app.get(KeyService).create({ projects, ...rest })).secret;
  const adminKey = keys?.[0] ?? (await createKey({ name: 'admin', role: 'admin' }));
  const workerKey = keys?.[1] ?? (await createKey({ name: 'workers', role: 'worker' }));
  return {
    url,
    app,
    adminKey,
    workerKey,
    options,
    createKey,
    async close() {
      await close();
      removeFolder(folder);
    },
    async restart(whileAway) {
      await close();
      await whileAway?.();
      return start({ ...options, port: Number(new URL(url).port) }, folder, [adminKey, workerKey]);
    },
  };
}
