/**
 * @file One process of the control plane, started from what was built, killed and started again with the same words.
 * What it prints goes to a file; all that were started end with this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));
const readyMs = 120_000;

export interface Program {
  /** Starts it and waits for the line it prints when it is ready. */
  start(): Promise<void>;
  /** Ends it at once, and waits until it is gone. */
  kill(): Promise<void>;
  /** Stops or continues it, as `kill -STOP` and `kill -CONT` do. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

const living = new Set<ChildProcess>();
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')));

/** Creates a program that is `espalier <words>`; `words` include `--json`, so its first line says that it is ready. */
export function createProgram(words: readonly string[], env: NodeJS.ProcessEnv, log: string): Program {
  let child: ChildProcess | undefined;
  return {
    async start() {
      const file = openSync(log, 'a');
      const started = spawn(process.execPath, [main, ...words], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', file],
      });
      closeSync(file);
      child = started;
      living.add(started);
      started.once('exit', () => living.delete(started));
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(notReady(words, log)), readyMs);
        started.once('exit', () => reject(notReady(words, log)));
        started.stdout?.on('data', (chunk: Buffer) => {
          if (!/"(url|name)":/.test(chunk.toString().split('\n').at(-2) ?? '')) return;
          clearTimeout(timer);
          resolve();
        });
      });
    },
    async kill() {
      const ending = child;
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
    signal: (name) => void child?.kill(name),
  };
}

function notReady(words: readonly string[], log: string): Error {
  const said = readFileSync(log, 'utf8').slice(-2000);
  return new Error(`start \`espalier ${words.join(' ')}\`: it did not become ready: ${said}`);
}

/** Kills every process that has a folder on its command line; for what a killed program left working. */
export function killUsersOf(folder: string): number {
  let count = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    if (Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${folder}/`)) continue;
      process.kill(Number(name), 'SIGKILL');
      count += 1;
    } catch {
      // It has ended meanwhile.
    }
  }
  return count;
}
