/** @file Which server a command talks to, and with which key. */
import { type Client, createClient } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import { findKey } from './key-files.js';

export interface ConnectOptions {
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const defaultServer = 'http://127.0.0.1:4500';

/** Adds what every command that talks to a server takes. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--server <url>',
      `address of the server, or several with commas if others stand by (default: ESPALIER_SERVER, else ${defaultServer})`,
    )
    .option(
      '--key <secret>',
      'API key (default: ESPALIER_KEY, which goes with ESPALIER_SERVER; else the one this server has left on this machine)',
    )
    .option('--json', 'print JSON');
}

/**
 * Makes the client of a command.
 *
 * @throws cli.usage for an address that is none, cli.no_key
 */
export function connect({ server, key }: ConnectOptions): Client {
  const { ESPALIER_SERVER: usual, ESPALIER_KEY: known } = process.env;
  const urls = addressesOf(server);
  const parsed = serverOf(server);
  return createClient({
    url: urls,
    key: key ?? keyOfEnvironment(parsed, usual, known) ?? findKey('admin', parsed, how),
  });
}

/** The address of the server that a command talks to, the first where there are several. @throws cli.usage */
export function serverOf(server: string | undefined): URL {
  const [first] = addressesOf(server).map(parseAddress);
  if (first === undefined) throw new AppError('cli.usage', `--server: expected an address`);
  return first;
}

const addressesOf = (server: string | undefined): string[] =>
  (server ?? process.env['ESPALIER_SERVER'] ?? defaultServer).split(',').map((url) => url.trim());

function parseAddress(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new AppError('cli.usage', `--server ${url}: expected an address such as ${defaultServer}`);
}

const how = '--key or ESPALIER_KEY';

/** A key of the environment belongs to the server of the environment, where it names one. */
function keyOfEnvironment(
  { origin }: URL,
  usual: string | undefined,
  key: string | undefined,
): string | undefined {
  if (key === undefined || key === '') return undefined;
  const usuals = (usual ?? '').split(',').map((url) => url.trim());
  const isOther =
    usual !== undefined && usuals.every((url) => URL.canParse(url) && new URL(url).origin !== origin);
  if (!isOther) return key;
  throw new AppError(
    'cli.no_key',
    `find the admin key to ${origin}: ESPALIER_KEY is the key to ESPALIER_SERVER, ${usual}, and is sent nowhere else; pass the key to this server with --key`,
  );
}
