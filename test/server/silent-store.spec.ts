import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { sha256Of } from '../support/held-attempt.js';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.js';
import { createWriter } from '../support/write-events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let silent: SilentProxy;
let server: TestServer;
const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const before = names.map((name) => process.env[name]);

beforeAll(async () => {
  for (const name of names) process.env[name] = 'x';
  silent = await startSilentProxy();
  const endpoint = `http://127.0.0.1:${silent.port}`;
  const place = { driver: 's3', bucket: 'b', endpoint, forcePathStyle: true };
  const store = { ...place, connectSeconds: 0.5, requestSeconds: 1, tries: 1 };
  server = await startTestServer({ artifacts: { store } });
}, 60_000);
afterAll(async () => {
  await server.close();
  await silent.close();
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
