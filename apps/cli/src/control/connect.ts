/** @file Which server a command talks to, and with which key. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import { adminKeyFile } from './key-files.js';

export interface ConnectOptions {
  readonly server?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const defaultServer = 'http://127.0.0.1:4500';

/** Adds what every command that talks to a server takes. */
export function withConnection(command: Command): Command {
  return command
    .option('--server <url>', `address of the server (default: ESPALIER_SERVER, else ${defaultServer})`)
    .option(
      '--key <secret>',
      'API key (default: ESPALIER_KEY, else the one a server on this machine has left)',
    )
    .option('--json', 'print JSON');
}

/**
 * Makes the client of a command.
 *
 * @throws cli.usage for an address that is none, cli.no_key
 */
export function connect({ server, key }: ConnectOptions): Client {
  const url = server ?? process.env['ESPALIER_SERVER'] ?? defaultServer;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new AppError('cli.usage', `--server ${url}: expected an address such as ${defaultServer}`);
  return createClient({ url, key: key ?? process.env['ESPALIER_KEY'] ?? localKey(parsed) });
}

/** The admin key in the data folder; given to nobody but servers on this machine. */
function localKey({ hostname, origin }: URL): string {
  const path = join(process.env['ESPALIER__SERVER__DATA'] ?? 'data', adminKeyFile);
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (isHere && existsSync(path)) return readFileSync(path, 'utf8').trim();
  throw new AppError(
    'cli.no_key',
    isHere
      ? `find the key to ${origin}: ESPALIER_KEY is not set and there is no ${path}; start a server in this folder with \`espalier up\`, or name a key with --key`
      : `find the key to ${origin}: ESPALIER_KEY is not set; name one with --key`,
  );
}
