import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HeldAttempt, sha256Of, startHeldAttempt, uploadHeaders } from '../support/held-attempt.js';
import type { TestServer } from '../support/start-server.js';

let held: HeldAttempt;
let server: TestServer;
let head: (path: string, hash: string) => string;
let put: (path: string) => Promise<number>;
const content = Buffer.alloc(1000, 7);
const sha256 = sha256Of(content);
const otherSha256 = '0'.repeat(64);
const sockets: Socket[] = [];

beforeAll(async () => {
  held = await startHeldAttempt({ http: { requestSeconds: 0.3, uploadIdleSeconds: 60 } });
  const { assignment } = held;
  server = held.server;
  const headers = uploadHeaders(assignment, sha256, server.workerKey);
  const address = (path: string): string => `/api/v1/runs/${assignment.runId}/artifacts/${path}`;
  head = (path, hash) =>
    [
      `PUT ${address(path)} HTTP/1.1`,
      'host: localhost',
      ...Object.entries({ ...headers, 'x-espalier-sha256': hash }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      `content-length: ${content.length}`,
      '\r\n',
    ].join('\r\n');
  put = async (path) =>
    (await fetch(server.url + address(path), { method: 'PUT', headers, body: content })).status;
}, 60_000);
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(() => held.close());

/** Sends the head of an upload and its first bytes, and gives what is answered and whether the connection is over. */
function stall(path: string, hash = sha256): { readonly socket: Socket; answer: string; isOver: boolean } {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  const told = { socket, answer: '', isOver: false };
  socket.on('data', (chunk: Buffer) => void (told.answer += chunk.toString()));
  socket.on('close', () => void (told.isOver = true)).on('error', () => undefined);
  socket.write(head(path, hash));
  socket.write(content.subarray(0, 10));
  return told;
}

describe('an upload that stalls', () => {
  it('keeps nobody else from storing the same content, and still counts when it is done', async () => {
    const stalled = stall('logs/stalled.txt');
    await wait(100);
    expect(await put('logs/whole.txt')).toBe(200);
    expect(stalled.answer).toBe('');
    stalled.socket.write(content.subarray(10));
    await expect.poll(() => stalled.answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is told when the store fails, and its connection is closed without harm to the server', async () => {
    const incoming = join(server.options.data, 'artifacts', 'incoming');
    rmSync(incoming, { recursive: true });
    writeFileSync(incoming, 'no folder');
    const stalled = stall('logs/other.txt', otherSha256);
    await expect.poll(() => stalled.answer).toMatch(/^HTTP\/1\.1 503 /);
    await expect.poll(() => stalled.isOver, { timeout: 10_000 }).toBe(true);
    rmSync(incoming);
    mkdirSync(incoming);
    expect(await put('logs/after.txt')).toBe(200);
  });
});
