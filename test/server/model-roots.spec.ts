/** @file Which model folders a run may name, and what a refusal says to whom. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { saveTinyModel } from '../support/tiny-training.js';

let root: string;
let closed: TestServer;
let open: TestServer;
const spec = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nrollout: { maxResponseTokens: 4 }\n';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-models-'));
  for (const folder of ['allowed', 'secret']) {
    mkdirSync(join(root, folder));
    saveTinyModel(join(root, folder, 'model'));
  }
  symlinkSync('../secret/model', join(root, 'allowed/link'));
  closed = await startTestServer();
  open = await startTestServer({ modelRoots: [join(root, 'allowed')] });
}, 60_000);
afterAll(async () => {
  await closed.close();
  await open.close();
  rmSync(root, { recursive: true });
});

async function plan(server: TestServer, use: string, key = server.adminKey) {
  const answer = await fetch(`${server.url}/api/v1/runs/plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source: `${spec}model: { path: ${use} }\n`, estimate: false }),
  });
  return { status: answer.status, body: (await answer.json()) as { code?: string; message?: string } };
}

describe('a run that names a model folder', () => {
  it('is refused by default, in the same words whether the folder exists or not', async () => {
    const operator = await closed.createKey({ name: 'operator', role: 'operator' });
    const told = await Promise.all(
      [join(root, 'secret/model'), join(root, 'secret/absent'), closed.options.data].map(async (use) => {
        const { status, body } = await plan(closed, use, operator);
        return [status, body.code, body.message?.replaceAll(use, 'PATH')];
      }),
    );
    expect(told[0]).toEqual([422, 'model.not_allowed', expect.stringContaining('setting modelRoots')]);
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
  });

  it('may name what lies in a root, and nothing that a link leads to', async () => {
    expect((await plan(open, join(root, 'allowed/model'))).status).toBe(200);
    for (const use of ['allowed/link', 'allowed/../secret/model', 'secret/model'])
      expect((await plan(open, `${root}/${use}`)).body.code).toBe('model.not_allowed');
  });

  it('shows the roots to admins only', async () => {
    const operator = await open.createKey({ name: 'operator', role: 'operator' });
    const use = join(root, 'secret/model');
    expect((await plan(open, use)).body.message).toContain(`(now: ${join(root, 'allowed')})`);
    expect((await plan(open, use, operator)).body.message).not.toContain('allowed)');
  });
});
