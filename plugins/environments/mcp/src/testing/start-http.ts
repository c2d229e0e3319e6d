/** @file For tests: the desk over HTTP, in a process that the test ends. It needs what the build made. */
import { spawn } from 'node:child_process';
import { programOf } from './play.js';

const servers: { kill(): void }[] = [];

/** Starts the desk; all its connections share one state. @returns its URL */
export async function startHttp(mode = 'well'): Promise<string> {
  const child = spawn(process.execPath, [programOf('http-server.mjs'), '0', mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(child);
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data).trim())),
  );
  return `http://127.0.0.1:${port}/mcp`;
}

/** Ends all that were started. */
export const stopHttp = (): void => servers.splice(0).forEach((server) => server.kill());
