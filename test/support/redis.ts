/** @file A real Redis of its own: temporary folder, loopback port, append-only file synced on every write. */
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, findProgram, freePort, removeFolder, ServiceProcess, serviceUser } from '@espalier/testing';

export interface RedisService {
  readonly url: string;
  /** Ends the server; SIGKILL is a crash. The files stay. */
  down(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the server again on the same files and port. */
  up(): Promise<void>;
  /** Stops the process, as a machine that hangs would: connections stay, nothing answers. */
  freeze(): void;
  /** Lets it go on. */
  thaw(): void;
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>;
}

/** Starts an empty Redis server. */
export async function startRedis(): Promise<RedisService> {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error('Redis is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'espalier-redis-'));
  const user = serviceUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let running: ServiceProcess | undefined;
  const up = async () => {
    running = new ServiceProcess(program, args, join(folder, 'log'), user);
    await running.ready(() => answers(port, 'PING\r\n', '+PONG'));
  };
  const down = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    await running?.end(signal);
    running = undefined;
  };
  await up();
  return {
    url: `redis://127.0.0.1:${port}`,
    up,
    down,
    freeze: () => running?.signal('SIGSTOP'),
    thaw: () => running?.signal('SIGCONT'),
    stop: async () => {
      await down('SIGKILL');
      removeFolder(folder);
    },
  };
}
