/**
 * @file Services that tests and benchmarks start: finds their programs and runs them as child processes, as an
 * unprivileged user when this process is root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, openSync, readdirSync, readFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** Finds a program in Debian's PostgreSQL folders, newest version first, or in PATH. */
export function findProgram(name: string): string | undefined {
  const root = '/usr/lib/postgresql';
  let versions: string[] = [];
  try {
    versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  } catch {
    // not Debian, or no PostgreSQL: only PATH is searched
  }
  const folders = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Finds a free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** The user that services run as when this process is root. */
export function serviceUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
      );
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // no such user: try the next one
    }
  }
  throw new Error('no unprivileged user to run a service as; expected postgres or nobody');
}

/** A running program that is killed when this process exits. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #log: string;

  constructor(program: string, args: readonly string[], log: string, user = serviceUser()) {
    this.#log = log;
    const output = openSync(log, 'a');
    this.#child = spawn(program, args, {
      stdio: ['ignore', output, output],
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      ...user,
    });
    this.#ended = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    const last = () => this.#child.kill('SIGKILL');
    process.once('exit', last);
    void this.#ended.then(() => process.removeListener('exit', last));
  }

  /** Waits until a probe succeeds; fails with the log of the program when it exits or takes longer than 30 s. */
  async ready(probe: () => Promise<boolean>): Promise<void> {
    const limit = Date.now() + 30_000;
    while (!(await probe())) {
      if (this.#child.exitCode !== null || Date.now() > limit)
        throw new Error(`service not ready: ${readFileSync(this.#log, 'utf8').slice(-2000)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Signals the program. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Signals the program and waits until it exits. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }
}

/** Sends a line to a loopback port and checks how the answer starts; never throws. */
export function answers(port: number, line: string, expected: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(line));
    const finish = (good: boolean) => {
      socket.destroy();
      resolve(good);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('data', (bytes) => finish(bytes.toString().startsWith(expected)));
  });
}
