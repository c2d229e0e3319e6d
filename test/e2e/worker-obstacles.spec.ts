import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '@espalier/worker';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, expect, it } from 'vitest';
import { WorkerServer } from '../support/worker-server.js';

const root = mkdtempSync(join(tmpdir(), 'worker-obstacles-'));
const nothing = (): void => undefined;
const log = { info: nothing, warn: nothing, error: nothing };
afterAll(() => removeFolder(root));

it('a worker that cannot write to its folder refuses a job with the reason, and keeps running', async () => {
  const server = await new WorkerServer().start();
  const { url, key } = server;
  const options = { server: url, key, name: 'walled', data: root, gpus: 'off', minFreeMb: 0 } as const;
  const worker = await startWorker(options, { log });
  await waitFor('it is connected', () => worker.isOnline());
  rmSync(join(root, 'attempts'), { recursive: true });
  writeFileSync(join(root, 'attempts'), 'no folder');
  const answer = await server.assign('walled', { attemptId: 'w1', spec: {} });
  expect(answer).toMatchObject({ ok: false, code: 'worker.failed' });
  expect('message' in answer && answer.message).toMatch(/^start a job: .*attempts.*; check the machine/);
  expect([worker.isOnline(), worker.holding()]).toEqual([true, []]);
  await worker.close();
  await server.stop();
});
