/**
 * @file Keys that a server has left in its data folder for commands on this machine. Each belongs to the address at
 * which that server was started last, and is sent to no other.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

export type SavedKey = 'admin' | 'worker';

const addressFile = 'server.json';
const fileOf = (folder: string, kind: SavedKey): string => join(folder, `${kind}.key`);

/** Keeps the address of a server that has started, and the keys it made. */
export function saveKeys(
  folder: string,
  url: string,
  made: Readonly<Partial<Record<SavedKey, string | undefined>>>,
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, addressFile), `${JSON.stringify({ url })}\n`);
  for (const kind of ['admin', 'worker'] as const)
    if (made[kind] !== undefined) writeFileSync(fileOf(folder, kind), `${made[kind]}\n`, { mode: 0o600 });
}

/** Reads the key of a data folder, whichever server it is for. */
export function readKey(folder: string, kind: SavedKey): string | undefined {
  const path = fileOf(folder, kind);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'];
const defaultAddress = 'http://127.0.0.1:4500';

/**
 * Finds the key to the server at an address: on this machine, and started with a data folder of this folder.
 *
 * @param how in words, where else a key can be named
 * @throws cli.no_key
 */
export function findKey(kind: SavedKey, address: URL, how: string): string {
  const data = process.env['ESPALIER__SERVER__DATA'] ?? 'data';
  const isHere = hosts.includes(address.hostname);
  const fail = (finding: string): AppError =>
    new AppError('cli.no_key', `find the ${kind} key to ${address.origin}: ${finding}`);
  if (!isHere)
    throw fail(`no key was given, and local keys are never sent to another host; pass one with ${how}`);
  const known = [data, join(data, 'secondary')].flatMap((folder) => {
    const key = readKey(folder, kind);
    return key === undefined ? [] : [{ key, path: fileOf(folder, kind), belongsTo: addressOf(folder) }];
  });
  const [other] = known;
  const found = known.find(({ belongsTo }) => isSame(new URL(belongsTo), address));
  if (found !== undefined) return found.key;
  if (other === undefined)
    throw fail(
      `no key was given and there is no ${fileOf(data, kind)}; start a server in this folder with \`espalier up\`, or pass a key with ${how}`,
    );
  throw fail(
    `${other.path} is the key to ${other.belongsTo} and is sent nowhere else; name that server with --server ${other.belongsTo}, or pass the key to this one with ${how}`,
  );
}

/** The address at which the server of a data folder was started last, or the default address. */
function addressOf(folder: string): string {
  const path = join(folder, addressFile);
  const { url } = (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}) as { url?: unknown };
  return typeof url === 'string' && URL.canParse(url) ? url : defaultAddress;
}

/** Treats all loopback names as equal. */
function isSame(one: URL, other: URL): boolean {
  return hosts.includes(one.hostname) && one.port === other.port && one.protocol === other.protocol;
}
