/**
 * @file One process of the control plane, started from the build, killed and restarted with the same arguments. Its output
 * goes to a file; all processes end with this one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));
const readyMs = 120_000;

export interface Program {
  /** Starts it and waits until it prints that it is ready. */
  start(): Promise<void>;
  /** Kills it and waits until it has exited. */
  kill(): Promise<void>;
  /** Stops or continues it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Creates the program `espalier <words>`; `words` include `--json`, so its first line says that it is ready. */
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
      running.add(started);
      started.once('exit', () => running.delete(started));
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
  const output = readFileSync(log, 'utf8').slice(-2000);
  return new Error(`start \`espalier ${words.join(' ')}\`: it did not become ready: ${output}`);
}

/** Kills every process with a folder on its command line: leftovers of a killed program. */
export function killProcessesUsing(folder: string): number {
  let count = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    if (Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${folder}/`)) continue;
      process.kill(Number(name), 'SIGKILL');
      count += 1;
    } catch {
      // it has exited meanwhile
    }
  }
  return count;
}
