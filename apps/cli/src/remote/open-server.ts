/** @file Starts the server for `serve` and `up` and prints its address. Loads no runtime. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { resolveDeployment } from '@espalier/config/plain';
import { AppError } from '@espalier/contracts';
import type * as Server from '@espalier/server';
import type { RunningServer } from '@espalier/server';
import { type ServerOptions, serverOptions } from '@espalier/server/plain';
import type { Console } from '../console.js';
import { validateSettings } from './validate-settings.js';
import { readKey, saveKeys } from './key-files.js';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly config: string;
  readonly json?: boolean;
  /** folders of models that runs may name while the server is reachable only from this machine, unless settings name some */
  readonly ownModels?: readonly string[];
}

export interface OpenedServer {
  readonly server: RunningServer;
  readonly options: ServerOptions;
  /** the admin key, when this folder has it */
  readonly adminKey: string | undefined;
}

/** Starts the server and prints its address, and at its first start the admin key. */
export async function openServer(given: ServeOptions, console: Console): Promise<OpenedServer> {
  const options = withOwnModels(resolveOptions(given), given.ownModels ?? []);
  const { serve } = loadServer();
  const server = await serve(
    options,
    (text) => process.stderr.write(`espalier: server.already_running: ${text}\n`),
    {
      onStandby: ({ address, version }) =>
        console.note(`stands by: ${address} (version ${version}) serves; takes over when it is gone`),
    },
  );
  saveKeys(options.data, server.url, server.firstKeys ?? {});
  announce(server, options.data, given.json === true, console);
  server.markKeysReported();
  return { server, options, adminKey: readKey(options.data, 'admin') };
}

/** Loads the code of the server by `require`, because importing this many files takes longer (apps/server/src/program.ts). */
function loadServer(): typeof Server {
  return createRequire(import.meta.url)('@espalier/server') as typeof Server;
}

/** Resolves the settings of a server. Loads nothing of it, so that an invalid one is reported at once. */
export function resolveOptions(given: Omit<ServeOptions, 'json'>): ServerOptions {
  validateSettings(given.config, 'config/server.yaml');
  requirePort(given.port);
  const { env, called } = withOptions(given);
  return resolveDeployment(serverOptions, given.config, env, prefix, called);
}

const prefix = 'ESPALIER__SERVER';
export const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** The next `up` on the same data resumes its runs, so their model folders are remembered there. */
function withOwnModels(options: ServerOptions, ownModels: readonly string[]): ServerOptions {
  if (options.modelRoots.length > 0 || !loopback.has(options.host) || ownModels.length === 0) return options;
  const file = join(options.data, 'own-models.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
  const modelRoots = [...new Set([...kept, ...ownModels])];
  mkdirSync(options.data, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(modelRoots)}\n`, { mode: 0o600 });
  return { ...options, modelRoots };
}

/** Rejects an impossible port before loading the server, which takes seconds. */
function requirePort(port: string | undefined): void {
  if (port === undefined || (/^\d+$/.test(port) && Number(port) <= 65535)) return;
  const expected = /^\d+$/.test(port) ? 'at most 65535' : 'a whole number from 0 to 65535';
  throw new AppError('config.wrong_type', `--port: port is ${port}; expected ${expected}`, {
    details: { settings: prefix },
  });
}

/** Command-line options override environment variables; messages name the option. */
function withOptions({ host, port, data }: Omit<ServeOptions, 'json'>): {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly called: Readonly<Record<string, string>>;
} {
  const given = Object.entries({ host, port, data }).filter(([, value]) => value !== undefined);
  const variable = (name: string): string => `${prefix}__${name.toUpperCase()}`;
  return {
    env: { ...process.env, ...Object.fromEntries(given.map(([name, value]) => [variable(name), value])) },
    called: Object.fromEntries(given.map(([name]) => [variable(name), `--${name}`])),
  };
}

function announce({ url, firstKeys }: RunningServer, folder: string, json: boolean, console: Console): void {
  const { admin, worker } = firstKeys ?? {};
  if (json) {
    const keys = { ...(admin && { adminKey: admin }), ...(worker && { workerKey: worker }) };
    return console.line(JSON.stringify({ url, ...keys }));
  }
  const { bold, dim } = console.colors;
  console.line(`espalier server  ${bold(url)}`);
  console.line(dim(`  in a browser: ${url} (dashboard), /graphiql (GraphQL), /docs (REST)`));
  if (admin) console.line(`  admin key   ${bold(admin)}`);
  if (worker) console.line(`  worker key  ${bold(worker)}`);
  if (admin ?? worker) console.line(dim(`  shown once; kept in ${folder} for commands on this machine`));
}
