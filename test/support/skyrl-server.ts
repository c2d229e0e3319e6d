/** @file SkyRL's server of the Tinker API on the CPU, as processes of its own (tools/skyrl-server.mjs). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = join(import.meta.dirname, '../../tools/skyrl-server.mjs');

export interface SkyRlServer {
  readonly url: string;
  /** Ends it as it would end by itself. */
  stop(): Promise<void>;
  /** Kills all its processes at once. */
  kill(): Promise<void>;
}

/**
 * Starts a server and waits until it answers.
 *
 * @param python of an environment with skyrl[tinker,jax]==0.4.0 and aiohttp
 * @param words  options of the program
 */
export async function startSkyRl(python: string, words: readonly string[] = []): Promise<SkyRlServer> {
  const server = spawn(process.execPath, [program, python, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  for await (const line of createInterface({ input: server.stdout })) {
    const { url, group } = JSON.parse(line) as { readonly url: string; readonly group: number };
    return {
      url,
      stop: async () => {
        server.stdin.end();
        await ended;
      },
      kill: async () => {
        process.kill(-group, 'SIGKILL');
        server.kill('SIGKILL');
        await ended;
      },
    };
  }
  throw new Error(`the server of SkyRL ended with ${server.exitCode} before it answered`);
}
