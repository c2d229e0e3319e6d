import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactStore } from '../../apps/server/src/core/artifacts/store/artifact-store.js';
import { AttemptService } from '../../apps/server/src/core/scheduling/attempts/attempt.service.js';
import { JobService } from '../../apps/server/src/core/scheduling/job.service.js';
import { createJob } from '../support/create-job.js';
import {
  type HeldAttempt,
  sha256Of as sha256,
  startHeldAttempt,
  uploadHeaders,
} from '../support/held-attempt.js';
import type { SimulatedWorker } from '../support/simulated-worker.js';
import type { TestServer } from '../support/start-server.js';

let held: HeldAttempt;
let server: TestServer;
let worker: SimulatedWorker;
let assignment: Assignment;
let base: string;

interface Stored {
  readonly status: number;
  readonly body: { readonly code?: string; readonly path?: string; readonly sha256?: string };
}

interface Put {
  readonly hash?: string;
  readonly key?: string;
  readonly attempt?: string;
  readonly token?: number;
  readonly type?: string;
}

async function put(path: string, bytes: Uint8Array | string, change: Put = {}): Promise<Stored> {
  const { key = server.workerKey, hash = sha256(bytes), attempt, token, type } = change;
  const holder = { attemptId: attempt ?? assignment.attemptId, token: token ?? assignment.token };
  const headers = uploadHeaders(holder, hash, key);
  if (type !== undefined) headers['content-type'] = type;
  const body = typeof bytes === 'string' ? bytes : Buffer.from(bytes);
  const answer = await fetch(`${base}/${path}`, { method: 'PUT', headers, body });
  return { status: answer.status, body: (await answer.json()) as Stored['body'] };
}

async function get(
  path: string,
  headers: Record<string, string> = {},
  key = server.adminKey,
): Promise<Response> {
  return fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

/** Sends a path as it is, which fetch would tidy up. */
async function getRaw(path: string): Promise<number> {
  const { hostname, port, pathname } = new URL(base);
  const headers = { authorization: `Bearer ${server.adminKey}` };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: `${pathname}/${path}`, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

beforeAll(async () => {
  held = await startHeldAttempt();
  ({ server, worker, assignment } = held);
  base = `${server.url}/api/v1/runs/${assignment.runId}/artifacts`;
}, 60_000);
afterAll(() => held.close());

describe('artifacts', () => {
  it('are stored with what their path says, listed by prefix and read back', async () => {
    const weights = Buffer.alloc(3_000_000, 7);
    expect((await put('checkpoints/step-000010/policy/model.safetensors', weights)).status).toBe(200);
    expect((await put('checkpoints/step-000010/manifest.json', '{}')).status).toBe(200);
    const { items } = (await (await get('?path=checkpoints/')).json()) as { items: object[] };
    expect(items).toMatchObject([
      { path: 'checkpoints/step-000010/manifest.json', kind: 'checkpoint', step: 10, attempt: 1 },
      { path: 'checkpoints/step-000010/policy/model.safetensors', bytes: 3_000_000, sha256: sha256(weights) },
    ]);
    const answer = await get('/checkpoints/step-000010/policy/model.safetensors');
    expect(Buffer.from(await answer.arrayBuffer()).equals(weights)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment; filename="model.safetensors"',
      'content-length': '3000000',
    });
  });

  it('answer ranges as they were asked for', async () => {
    await put('logs/a.txt', '0123456789');
    const read = async (range: string) => {
      const answer = await get('/logs/a.txt', { range });
      return [answer.status, await answer.text(), answer.headers.get('content-range')];
    };
    expect(await read('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await read('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await read('bytes=-2')).toEqual([206, '89', 'bytes 8-9/10']);
    expect(await read('bytes=20-')).toEqual([416, '', 'bytes */10']);
    expect(await read('bytes=4-2')).toEqual([200, '0123456789', null]);
    expect(await read('lines=1-2')).toEqual([200, '0123456789', null]);
  });

  it('are kept once per content, and replaced by what the same attempt sends later', async () => {
    const blobs = (): number =>
      readdirSync(join(server.options.data, 'artifacts'), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && entry.name.startsWith(sha256('same').slice(0, 60)),
      ).length;
    await put('validation/step-000001.json', 'same');
    const once = blobs();
    expect(once).toBeGreaterThan(0);
    await put('validation/step-000002.json', 'same');
    await put('validation/step-000002.json', 'same');
    expect(blobs()).toBe(once);
    await put('validation/step-000001.json', 'other');
    await put('validation/step-000002.json', 'other');
    expect(blobs()).toBe(0);
    expect(await (await get('/validation/step-000001.json')).text()).toBe('other');
  });

  it.each([
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e/%2e%2e/x',
    'a/..%2f..%2fb',
    '..%5c..%5cx',
    '%2fetc%2fpasswd',
    'a%00b',
    'a//b',
    'C:%5cx',
    '.hidden',
    'a%0d%0ab',
    'x'.repeat(300),
    'a/'.repeat(20) + 'b',
    '%c0%ae%c0%ae/x',
  ])('are refused under the path %s', async (path) => {
    const status = await getRaw(path);
    expect([400, 404]).toContain(status);
    const answer = await new Promise<number>((resolve, reject) => {
      const { hostname, port, pathname } = new URL(base);
      const headers = uploadHeaders(assignment, sha256('x'), server.workerKey);
      const options = { method: 'PUT', hostname, port, headers };
      request({ ...options, path: `${pathname}/${path}` }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end('x');
    });
    expect([400, 404]).toContain(answer);
    expect(existsSync(join(server.options.data, 'x'))).toBe(false);
  });

  it('with other bytes than announced are refused and leave nothing', async () => {
    expect(await put('logs/b.txt', 'bytes', { hash: sha256('others') })).toMatchObject({
      status: 400,
      body: { code: 'artifact.mismatch' },
    });
    expect(await put('logs/b.txt', 'bytes', { hash: 'nonsense' })).toMatchObject({
      body: { code: 'artifact.mismatch' },
    });
    expect(await put('logs/b.txt', '{}', { type: 'application/json' })).toMatchObject({
      status: 415,
      body: { code: 'server.unsupported_media_type' },
    });
    expect((await get('/logs/b.txt')).status).toBe(404);
  });

  it('are taken only from the worker that holds the attempt, by its newest token', async () => {
    const other = await server.createKey({ name: 'other', role: 'worker' });
    const fenced = { status: 409, body: { code: 'worker.fenced' } };
    expect(await put('logs/c.txt', 'c', { key: other })).toMatchObject(fenced);
    expect(await put('logs/c.txt', 'c', { token: assignment.token + 1 })).toMatchObject(fenced);
    expect(await put('logs/c.txt', 'c', { attempt: 'attempt-none' })).toMatchObject(fenced);
    expect(await put('logs/c.txt', 'c', { key: server.adminKey })).toMatchObject({
      status: 403,
      body: { code: 'access.denied' },
    });
    const viewer = await server.createKey({ name: 'v', role: 'viewer' });
    expect(await put('logs/c.txt', 'c', { key: viewer })).toMatchObject({ status: 403 });
  });

  it('are shown to their project and to the worker at work, and to nobody else', async () => {
    const stranger = await server.createKey({ name: 's', role: 'admin', projects: ['other'] });
    const idle = await server.createKey({ name: 'idle', role: 'worker' });
    for (const key of [stranger, idle]) {
      expect((await get('', {}, key)).status).toBe(404);
      expect((await get('/logs/a.txt', {}, key)).status).toBe(404);
    }
    expect((await get('/logs/a.txt', {}, server.workerKey)).status).toBe(200);
  });

  it('hold up no other write while the store is slow', async () => {
    const store = server.app.get(ArtifactStore, { strict: false });
    const has = store.has.bind(store);
    let goOn = (): void => undefined;
    const slow = new Promise<void>((resolve) => (goOn = resolve));
    store.has = async (key) => slow.then(() => has(key));
    await put('logs/slow.txt', 'the same bytes');
    let isStored = false;
    const again = put('logs/again.txt', 'the same bytes').finally(() => (isStored = true));
    const job = await createJob(server, { needs: { labels: ['nobody'] } });
    expect(isStored).toBe(false);
    goOn();
    expect((await again).status).toBeLessThan(300);
    store.has = has;
    await server.app.get(JobService).cancel(job.id, { now: true });
  });

  it('wait for the next heartbeat of a worker whose attempt was lost but is nobody else’s yet', async () => {
    worker.fallSilent();
    const loss = { reason: 'silent', isGone: false, isCounted: false };
    expect(await server.app.get(AttemptService).lose(assignment.attemptId, loss)).toBe(true);
    const early = { status: 425, body: { code: 'worker.unconfirmed' } };
    expect(await put('logs/early.txt', 'early')).toMatchObject(early);
    expect((await get('/logs/early.txt')).status).toBe(404);
    // what it fetches to begin with it still gets: a refusal would end the attempt
    expect((await get('/logs/a.txt', {}, server.workerKey)).status).toBe(200);
    expect(await worker.beat()).toEqual({ fenced: [] });
    expect((await put('logs/early.txt', 'early')).status).toBe(200);
  });

  it('of the newest attempt count, and those of earlier ones are kept', async () => {
    await put('metrics.jsonl', 'first');
    await worker.end(assignment, null, 'SIGKILL', 'killed');
    const before = assignment;
    assignment = await worker.assigned(2, 30_000);
    await worker.begin(assignment);
    expect(assignment).toMatchObject({ token: 2, resume: { step: 10, path: 'checkpoints/step-000010' } });
    const late = await put('metrics.jsonl', 'late', { attempt: before.attemptId, token: before.token });
    expect(late).toMatchObject({ status: 409, body: { code: 'worker.fenced' } });
    expect(await (await get('/metrics.jsonl')).text()).toBe('first');
    await put('metrics.jsonl', 'second');
    expect(await (await get('/metrics.jsonl')).text()).toBe('second');
    const { items } = (await (await get('?path=metrics')).json()) as { items: object[] };
    expect(items).toMatchObject([{ attempt: 2 }]);
  });
});
