/** @file Kills a command in the middle of a request: a proxy holds one of its requests, half sent. */
import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

/**
 * Runs `espalier` against a server, and kills it with SIGKILL when half of the body of a request has gone on.
 *
 * @param path part of the address of the requests that count
 * @param nth  the one, from 1, that does not get through
 */
export async function breakOffAt(
  url: string,
  { path, nth }: { readonly path: string; readonly nth: number },
  words: readonly string[],
): Promise<void> {
  let count = 0;
  let hold: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (hold = resolve));
  const proxy = createServer((incoming, answer) => {
    const isCounted = incoming.method !== 'GET' && incoming.url?.includes(path) === true;
    const isHeld = isCounted && ++count === nth;
    const { method = 'GET', headers } = incoming;
    const onward = request(new URL(incoming.url ?? '', url), { method, headers }, (told) => {
      answer.writeHead(told.statusCode ?? 500, told.headers);
      told.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    if (!isHeld) return void incoming.pipe(onward);
    incoming.once('data', (chunk: Buffer) => {
      onward.write(chunk.subarray(0, chunk.length / 2), hold);
      incoming.pause();
    });
    incoming.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const server = ['--server', `http://127.0.0.1:${port}`];
  const child = spawn(process.execPath, [main, ...words, ...server], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const early = ended.then(() => 'ended before it was to be killed');
  const outcome = await Promise.race([held, early]);
  child.kill('SIGKILL');
  await ended;
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  if (typeof outcome === 'string') throw new Error(`${words.join(' ')}: it ${outcome}`);
}
