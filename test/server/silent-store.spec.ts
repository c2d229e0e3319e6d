import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/artifacts/artifact.service.js';
import { sha256Of } from '../support/held-attempt.js';
import { createWriter } from '../support/write-events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

/** Takes every connection and everything that is said, and never answers. */
let silent: Server;
const sockets = new Set<Socket>();
let server: TestServer;
const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const before = names.map((name) => process.env[name]);

beforeAll(async () => {
  for (const name of names) process.env[name] = 'x';
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const place = { driver: 's3', bucket: 'b', endpoint, forcePathStyle: true };
  const store = { ...place, connectSeconds: 0.5, requestSeconds: 1, tries: 1 };
  server = await startTestServer({ artifacts: { store } });
}, 60_000);
afterAll(async () => {
  await server.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
  names.forEach((name, index) => {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  });
});

it('a bucket that stops answering holds up no other write, and is told as unavailable in time', async () => {
  const writer = await createWriter(server);
  const bytes = Buffer.from('content');
  const artifacts = server.app.get(ArtifactService, { strict: false });
  let isOver = false;
  const stored = artifacts
    .store(writer.runId, writer.attemptId, 1, 'a.txt', sha256Of(bytes), Readable.from([bytes]), bytes.length)
    .finally(() => (isOver = true));
  stored.catch(() => undefined);
  for (let step = 0; step < 5; step += 1)
    await writer.write([{ kind: 'metrics', time: 1, step, values: { loss: step } }]);
  expect(isOver).toBe(false);
  await expect(stored).rejects.toMatchObject({ code: 'artifact.unavailable' });
  await writer.write([{ kind: 'metrics', time: 1, step: 5, values: { loss: 5 } }]);
}, 30_000);
