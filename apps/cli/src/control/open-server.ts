/** @file Starts the server for `serve` and `up`, and says where it is. Loads no runtime. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveDeployment } from '@espalier/config';
import type { RunningServer, ServerOptions } from '@espalier/server';
import type { Console } from '../console.js';
import { adminKeyFile } from './admin-key-file.js';

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
  const { serverOptions, startServer } = await import('@espalier/server');
  const options = resolveDeployment(serverOptions, given.config, withOptions(given), 'ESPALIER__SERVER');
  const server = await startServer(options);
  const path = join(options.data, adminKeyFile);
  const first = server.firstKeys?.admin;
  if (first !== undefined) {
    mkdirSync(options.data, { recursive: true });
    writeFileSync(path, `${first}\n`, { mode: 0o600 });
  }
  const adminKey = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  announce(server, { first, path, json: given.json === true }, console);
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

function announce(
  { url }: RunningServer,
  {
    first,
    path,
    json,
  }: { readonly first: string | undefined; readonly path: string; readonly json: boolean },
  console: Console,
): void {
  if (json) return console.line(JSON.stringify({ url, ...(first === undefined ? {} : { adminKey: first }) }));
  const { bold, dim } = console.colors;
  console.line(`espalier server  ${bold(url)}`);
  console.line(dim(`  GraphQL ${url}/graphql · explorer ${url}/graphiql · REST ${url}/docs`));
  if (first === undefined) return;
  console.line(`  admin key  ${bold(first)}`);
  console.line(dim(`  shown once; kept in ${path} for commands on this machine`));
}
