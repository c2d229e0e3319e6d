import { type Client, createClient } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const source = 'name: small\nenvironment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';

type Told = { readonly cursor: number; readonly body: Readonly<Record<string, unknown>> };

let server: TestServer;
let client: Client;
let viewer: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = createClient({ url: `${server.url}/`, key: server.adminKey });
  viewer = createClient({ url: server.url, key: await server.createKey({ name: 'v', role: 'viewer' }) });
}, 60_000);
afterAll(async () => {
  await client.dispose();
  await viewer.dispose();
  await server.close();
});

const refusal = (code: string, more: object = {}) => ({
  code: 'client.refused',
  details: expect.objectContaining({ code, ...more }) as unknown,
});

describe('the client', () => {
  it('makes a run, finds it again and tells all about it', async () => {
    const made = await client.runs.create({ source, tags: ['a'], note: 'first', overrides: ['steps=5'] });
    expect(made).toMatchObject({ name: 'small', state: 'queued', steps: 5, step: null, tags: ['a'] });
    expect((await client.runs.list({ text: 'first' })).items).toEqual([made]);
    const { spec, jobs, attempts } = await client.runs.get(made.id);
    expect(spec).toMatchObject({ steps: 5, environment: { use: 'bandit' } });
    expect(jobs).toMatchObject([{ kind: 'train', state: 'queued', runId: made.id }]);
    expect(attempts).toEqual([]);
    expect(await client.artifacts.list(made.id)).toEqual([]);
  });

  it('says what a spec comes to, and makes nothing', async () => {
    const before = (await client.runs.list()).items.length;
    const plan = await client.runs.plan({ source });
    expect(plan).toMatchObject({ name: 'small', steps: 3, project: 'default' });
    expect((await client.runs.list()).items).toHaveLength(before);
  });

  it('tells which plugins of their own workers have, while they are connected', async () => {
    const coin = {
      kind: 'environment' as const,
      id: 'coin',
      version: '2.0.0',
      sha256: 'c',
      isExternal: true,
    };
    const bare = new SimulatedWorker(server.url, server.workerKey, { name: 'bare' });
    const own = new SimulatedWorker(server.url, server.workerKey, { name: 'own', plugins: [coin] });
    for (const worker of [bare, own]) await worker.connect();
    const told = async () =>
      (await client.workers.list()).items.map(({ name, plugins }) => ({ name, plugins }));
    expect(await told()).toEqual([
      { name: 'bare', plugins: [] },
      { name: 'own', plugins: [coin] },
    ]);
    const { items } = (await (await client.rest('/api/v1/workers')).json()) as { items: object[] };
    expect(items).toMatchObject([{ plugins: [] }, { plugins: [coin] }]);
    for (const worker of [bare, own]) worker.close();
    await waitFor('it is gone', async () => (await told())[0]?.plugins === null);
  });

  it('throws what the server refuses, with every problem of a spec', async () => {
    await expect(client.runs.create({ source: `${source}step: 4\n` })).rejects.toMatchObject(
      refusal('config.unknown_key', { problems: [expect.stringContaining('steps')] }),
    );
    await expect(client.runs.get('run-none')).rejects.toMatchObject(refusal('server.not_found'));
    await expect(viewer.runs.create({ source })).rejects.toMatchObject(refusal('access.denied'));
    const stranger = createClient({ url: server.url, key: 'esp_nothing' });
    await expect(stranger.runs.list()).rejects.toMatchObject(refusal('access.unauthenticated'));
    await expect(stranger.artifacts.list('run-none')).rejects.toMatchObject(
      refusal('access.unauthenticated'),
    );
    await expect(stranger.follow('run-none').next()).rejects.toMatchObject(refusal('access.unauthenticated'));
    await expect(viewer.follow('run-none').next()).rejects.toMatchObject(refusal('server.not_found'));
  });

  it('steers a run through its states', async () => {
    const { id } = await client.runs.create({ source });
    expect(await client.runs.pause(id)).toMatchObject({ id, state: 'paused' });
    expect(await client.runs.resume(id)).toMatchObject({ state: 'queued' });
    expect(await client.runs.edit(id, { priority: 7 })).toMatchObject({ priority: 7 });
    expect(await client.runs.cancel(id)).toMatchObject({ state: 'cancelled' });
    await expect(client.runs.pause(id)).rejects.toMatchObject(
      refusal('run.wrong_state', { state: 'cancelled' }),
    );
    expect(await client.runs.edit(id, { tags: ['x', 'y'] })).toMatchObject({ tags: ['x', 'y'] });
    expect(await client.runs.edit(id, { note: 'noted' })).toMatchObject({ note: 'noted' });
    await expect(client.runs.fork(id)).rejects.toMatchObject(refusal('run.not_possible'));
    expect(await client.runs.delete(id)).toMatchObject({ id });
    await expect(client.runs.get(id)).rejects.toMatchObject(refusal('server.not_found'));
  });

  it('reads lists page by page', async () => {
    for (let i = 0; i < 3; i++) await client.runs.create({ source, project: 'pages' });
    const first = await client.runs.list({ project: 'pages' }, { first: 2 });
    expect(first.items).toHaveLength(2);
    const second = await client.runs.list(
      { project: 'pages' },
      { first: 2, after: first.pageInfo.endCursor },
    );
    expect(second).toMatchObject({ items: [{ project: 'pages' }], pageInfo: { hasNextPage: false } });
    const all = [];
    for await (const run of client.runs.all({ project: 'pages' })) all.push(run.id);
    expect(all).toEqual([...first.items, ...second.items].map(({ id }) => id));
  });

  it('hears of runs as they change', async () => {
    const { id } = await client.runs.create({ source, project: 'heard' });
    const heard = client.runs.changes({ runId: id });
    const next = heard.next();
    const timer = setInterval(() => void client.runs.edit(id, { note: `at ${Date.now()}` }), 50);
    expect((await next).value).toMatchObject({ id, project: 'heard' });
    clearInterval(timer);
    await heard.return(undefined);
  });

  it('reads what happened up to now, and ends', async () => {
    const { id } = await client.runs.create({ source });
    const kinds = [];
    for await (const { records } of client.follow(id, { until: 'now' }))
      kinds.push(...records.map(({ kind, body }) => `${kind} ${String(body['to'])}`));
    expect(kinds).toEqual(['state queued']);
  });

  it('follows a run across a restart of the server, each record once', async () => {
    const { id } = await client.runs.create({ source });
    const following = client.follow(id, { until: 'never' });
    const cursors: number[] = [];
    const readUntil = async (state: string): Promise<void> => {
      for (;;) {
        const { value } = (await following.next()) as { value: { records: Told[] } };
        cursors.push(...value.records.map(({ cursor }) => cursor));
        if (value.records.some(({ body }) => body['to'] === state)) return;
      }
    };
    await readUntil('queued');
    server = await server.restart();
    await client.runs.pause(id);
    await readUntil('paused');
    await client.runs.resume(id);
    expect(cursors).toEqual([1, 2]);
    await following.return(undefined);
  }, 60_000);

  it('ends to follow when it is told to, even before it began, and when its key is revoked', async () => {
    const { id } = await client.runs.create({ source });
    const gone = await client.follow(id, { signal: AbortSignal.abort() }).next();
    expect(gone).toMatchObject({ done: true });
    const { key, secret } = await client.keys.create({ name: 'soon gone', role: 'viewer' });
    const following = createClient({ url: server.url, key: secret }).follow(id);
    await following.next();
    const next = following.next();
    await Promise.all([
      expect(next).rejects.toMatchObject(refusal('access.unauthenticated')),
      client.keys.revoke(key.id),
    ]);
  }, 60_000);

  it('makes keys, lists and revokes them', async () => {
    const { key, secret } = await client.keys.create({ name: 'guest', role: 'viewer', projects: ['pages'] });
    const guest = createClient({ url: server.url, key: secret });
    expect((await guest.runs.list()).items.every(({ project }) => project === 'pages')).toBe(true);
    expect((await client.keys.list()).items).toContainEqual(
      expect.objectContaining({ id: key.id, revokedAt: null }),
    );
    expect((await client.keys.revoke(key.id)).revokedAt).not.toBeNull();
    await expect(guest.runs.list()).rejects.toMatchObject(refusal('access.unauthenticated'));
    await expect(client.keys.revoke('key-none')).rejects.toMatchObject({ code: 'client.refused' });
  });

  it('says how to start a server when there is none, and when it is something else', async () => {
    const nowhere = createClient({ url: 'http://127.0.0.1:1', key: 'k' });
    await expect(nowhere.runs.list()).rejects.toMatchObject({
      code: 'client.unreachable',
      message: expect.stringContaining('espalier up') as unknown,
    });
    await expect(nowhere.follow('r').next()).rejects.toMatchObject({ code: 'client.unreachable' });
  });
});
