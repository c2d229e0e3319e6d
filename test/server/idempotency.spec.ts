import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@espalier/client';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';

const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
const creation = `mutation ($input: CreateRunInput!) { createRun(input: $input) {
  __typename ... on Run { id name } ... on Refusal { code message } } }`;

/** Passes requests on, and loses the answers to the first of those that change something. */
async function startLossyProxy(
  url: string,
  lost: number,
): Promise<{ server: Server; url: string; seen: () => number }> {
  let seen = 0;
  const server = createServer((incoming, answer) => {
    const { method = 'GET', headers } = incoming;
    const isLost = method === 'POST' && ++seen <= lost;
    const onward = send(new URL(incoming.url ?? '', url), { method, headers }, (told) => {
      if (isLost) return void told.resume().on('end', () => answer.destroy());
      answer.writeHead(told.statusCode ?? 500, told.headers);
      told.pipe(answer);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: () => seen };
}

describeOnEach('a request that makes a run, sent again', (server) => {
  const post = (path: string, body: unknown, key?: string, as = server().adminKey) =>
    call(
      server().url,
      as,
      'POST',
      `/api/v1/runs${path}`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const countOf = async (project: string): Promise<number> =>
    (
      (await call(server().url, server().adminKey, 'GET', `/api/v1/runs?project=${project}`)).body[
        'items'
      ] as object[]
    ).length;

  it('is answered with the run that it made, over REST and GraphQL, whatever became of the run', async () => {
    const body = { source, project: 'again', name: 'once' };
    const first = await post('', body, 'k-1');
    expect(first.status).toBe(201);
    const { id } = first.body;
    expect(JSON.stringify(first.body)).not.toContain('k-1');
    const input = { ...body, idempotencyKey: 'k-1' };
    const told = await ask(server().url, server().adminKey, creation, { input });
    expect(told.body.data?.['createRun']).toEqual({ __typename: 'Run', id, name: 'once' });
    await post(`/${String(id)}/cancel`, {});
    expect((await post('', body, 'k-1')).body).toMatchObject({ id, state: 'cancelled' });
    expect(await countOf('again')).toBe(1);
    expect((await post('', body, 'k-2')).body['id']).not.toBe(id);
    expect(await countOf('again')).toBe(2);
  });

  it('is refused when it is another request, and knows no keys of other projects', async () => {
    const body = { source, project: 'other-a' };
    const { id } = (await post('', body, 'shared')).body;
    const changed = await post('', { ...body, name: 'changed' }, 'shared');
    expect(changed).toMatchObject({ status: 422, body: { code: 'run.idempotency_key_reused' } });
    const input = { ...body, tags: ['x'], idempotencyKey: 'shared' };
    const told = await ask(server().url, server().adminKey, creation, { input });
    expect(told.body.data?.['createRun']).toMatchObject({
      __typename: 'NotPossible',
      code: 'run.idempotency_key_reused',
    });
    const stranger = await server().createKey({ name: 's', role: 'operator', projects: ['other-b'] });
    const own = await post('', { source, project: 'other-b' }, 'shared', stranger);
    expect([own.status, own.body['project'], own.body['id'] === id]).toEqual([201, 'other-b', false]);
    const tooLong = await post('', body, 'x'.repeat(256));
    expect(tooLong).toMatchObject({ status: 400, body: { code: 'server.invalid_input' } });
  });

  it('makes one run when it comes many times at once', async () => {
    const body = { source, project: 'at-once' };
    const told = await Promise.all(Array.from({ length: 8 }, () => post('', body, 'many')));
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(told.map(({ body: { id } }) => id)).size).toBe(1);
    expect(await countOf('at-once')).toBe(1);
  });

  it('makes one run when a key comes with a creation, a fork and an import at once', async () => {
    const project = 'mixed';
    const parent = String((await post('', { source, project, needs: { labels: ['nowhere'] } })).body['id']);
    await insertCheckpoint(server().app.get(DataSource), parent, 1);
    const use = { use: 'x' };
    const spec = { name: 'imported', steps: 1, environment: use, algorithm: use, model: use };
    for (let round = 0; round < 10; round += 1) {
      const key = `mixed-${round}`;
      const answers = await Promise.all([
        post(`/${parent}/fork`, {}, key),
        post('', { source, project }, key),
        post('/import', { spec, project, again: true }, key),
      ]);
      const outcomes = answers.map(({ status, body }) => (status === 201 ? 'made' : body['code']));
      expect(outcomes.sort()).toEqual(['made', 'run.idempotency_key_reused', 'run.idempotency_key_reused']);
    }
    expect(await countOf(project)).toBe(11);
  });

  it('imports once, though it asks for another import', async () => {
    const use = { use: 'x' };
    const spec = { name: 'imported', steps: 1, environment: use, algorithm: use, model: use };
    const body = { spec, project: 'imports', again: true };
    const first = await post('/import', body, 'i-1');
    expect([first.status, first.body['isNew']]).toEqual([201, true]);
    expect(await post('/import', body, 'i-1')).toMatchObject({
      status: 201,
      body: { runId: first.body['runId'] },
    });
    expect(await countOf('imports')).toBe(1);
  });

  it('is sent by the client until an answer arrives, and makes one run', async () => {
    const proxy = await startLossyProxy(server().url, 2);
    try {
      const client = createClient({ url: proxy.url, key: server().adminKey });
      const run = await client.runs.create({ source, project: 'lossy' });
      expect(run).toMatchObject({ project: 'lossy', state: 'queued' });
      expect([proxy.seen(), await countOf('lossy')]).toEqual([3, 1]);
      // a request that the server would not know again is sent once
      const broken = await startLossyProxy(server().url, 1);
      const other = createClient({ url: broken.url, key: server().adminKey });
      await expect(other.runs.edit(run.id, { note: 'n' })).rejects.toMatchObject({
        code: 'client.unreachable',
      });
      expect(broken.seen()).toBe(1);
      broken.server.close();
    } finally {
      proxy.server.close();
    }
  });
});
