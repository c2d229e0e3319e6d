/** @file Starts the server for `serve` and `up`, and says where it is. Loads no runtime. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveDeployment } from '@espalier/config';
import type { RunningServer, ServerOptions } from '@espalier/server';
import type { Console } from '../console.js';
import { requireSettings } from './require-settings.js';
import { adminKeyFile, workerKeyFile } from './key-files.js';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly config: string;
  readonly json?: boolean;
}

export interface OpenedServer {
  readonly server: RunningServer;
  readonly options: ServerOptions;
  /** the admin key, when this folder has it */
  readonly adminKey: string | undefined;
}

/** Starts the server and prints its address, and at its first start the admin key. */
export async function openServer(given: ServeOptions, console: Console): Promise<OpenedServer> {
  requireSettings(given.config, 'config/server.yaml');
  const { serverOptions, startServer } = await import('@espalier/server');
  const options = resolveDeployment(serverOptions, given.config, withOptions(given), 'ESPALIER__SERVER');
  const server = await startServer(options);
  const { firstKeys } = server;
  if (firstKeys?.admin !== undefined) keep(options.data, adminKeyFile, firstKeys.admin);
  if (firstKeys?.worker !== undefined) keep(options.data, workerKeyFile, firstKeys.worker);
  const path = join(options.data, adminKeyFile);
  const adminKey = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  announce(server, options.data, given.json === true, console);
  return { server, options, adminKey };
}

/** Options of the command line take the place of variables. */
function withOptions({ host, port, data }: ServeOptions): Record<string, string | undefined> {
  const set = { HOST: host, PORT: port, DATA: data };
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  return {
    ...process.env,
    ...Object.fromEntries(given.map(([name, value]) => [`ESPALIER__SERVER__${name}`, value])),
  };
}

function keep(folder: string, name: string, secret: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `${secret}\n`, { mode: 0o600 });
}

function announce({ url, firstKeys }: RunningServer, folder: string, json: boolean, console: Console): void {
  const { admin, worker } = firstKeys ?? {};
  if (json) {
    const keys = { ...(admin && { adminKey: admin }), ...(worker && { workerKey: worker }) };
    return console.line(JSON.stringify({ url, ...keys }));
  }
  const { bold, dim } = console.colors;
  console.line(`espalier server  ${bold(url)}`);
  console.line(dim(`  GraphQL ${url}/graphql · explorer ${url}/graphiql · REST ${url}/docs`));
  if (admin) console.line(`  admin key   ${bold(admin)}`);
  if (worker) console.line(`  worker key  ${bold(worker)}`);
  if (admin ?? worker) console.line(dim(`  shown once; kept in ${folder} for commands on this machine`));
}
