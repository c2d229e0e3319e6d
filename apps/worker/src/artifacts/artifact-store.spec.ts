import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArtifactStore, createArtifactStore } from './artifact-store.js';

/** Answers every request with a status and a body. */
async function answering(status: number, body: string, work: (store: ArtifactStore) => Promise<unknown>) {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work(createArtifactStore(() => `http://127.0.0.1:${port}`, 'key')).then(
      () => 'done',
      (error: unknown) => error,
    );
  } finally {
    server.close();
  }
}

/** Answers a fetch with a part of it, and nothing else ever. */
let silent: Server;
let store: ArtifactStore;
let asked = 0;
const folder = mkdtempSync(join(tmpdir(), 'espalier-store-'));
const file = join(folder, 'weights');
const stored = { path: 'a/b', bytes: 8_000_000, sha256: 'x' };

beforeAll(async () => {
  writeFileSync(file, Buffer.alloc(stored.bytes));
  silent = createServer((request, response) => {
    asked += 1;
    if (request.url?.endsWith('/a/b') === true && request.method === 'GET') response.write('some');
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  store = createArtifactStore(() => `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, 'key');
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a server that stops responding', () => {
  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['a list', (signal) => store.list('r', '', signal)],
    ['a fetch', (signal) => store.fetch('r', stored, join(folder, 'target'), signal)],
    ['an upload', (signal) => store.store('r', { ...stored, file }, { attemptId: 'a', token: 1 }, signal)],
  ])('does not block %s once its signal is aborted', async (_name, work) => {
    const controller = new AbortController();
    const before = asked;
    const ended = work(controller.signal).then(
      () => 'done',
      (error: unknown) => String(error),
    );
    await expect.poll(() => asked).toBe(before + 1);
    controller.abort();
    expect(await ended).toMatch(/abort/);
  });
});

describe('a server that refuses', () => {
  it.each<[status: number, body: string, code: string, answer: string | undefined]>([
    [503, '{"code":"artifact.unavailable"}', 'worker.transfer_failed', 'artifact.unavailable'],
    [409, '{"code":"worker.fenced"}', 'worker.transfer_refused', 'worker.fenced'],
    [400, '{"message":"see \"artifact.unavailable\""}', 'worker.transfer_refused', undefined],
    [403, '<html>"worker.busy"</html>', 'worker.transfer_refused', undefined],
    [400, '{"code":"worker.busy"}', 'worker.transfer_failed', 'worker.busy'],
  ])('with status %i and %s raises %s', async (status, body, code, answer) => {
    const work = (store: ArtifactStore) => store.list('r', '', new AbortController().signal);
    expect(await answering(status, body, work)).toMatchObject({ code, details: { status, answer } });
  });

  it('or sends other bytes than it announced, is not trusted', async () => {
    const target = join(folder, 'target');
    const work = (store: ArtifactStore) =>
      store.fetch('r', { ...stored, bytes: 5 }, target, new AbortController().signal);
    expect(await answering(200, 'other', work)).toMatchObject({
      code: 'worker.transfer_failed',
      details: { isDamaged: true },
    });
  });
});
