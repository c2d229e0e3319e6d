import { createClient } from '@espalier/client';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { newJob } from '../../apps/server/src/core/scheduling/new-job.js';
import { createJob } from '../support/create-job.js';
import { describeOnEach } from '../support/each-database.js';
import { ask, call } from '../support/ask.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describeOnEach('what a run has come to', (server) => {
  const clientOf = () => createClient({ url: server().url, key: server().adminKey });

  it('estimates the rest of a run from the durations of its last steps', async () => {
    const writer = await createWriter(server());
    await server().app.get(DataSource).getRepository(Run).update(writer.runId, { steps: 3 });
    const eta = () => clientOf().runs.eta(writer.runId);
    const now = Date.now();
    const row = (step: number, time: number) => ({ ...metricsEvent(step, { a: step }), time });
    expect(await eta()).toBeNull();
    await writer.write([row(0, now - 20_000), row(1, now - 10_000)]);
    expect(await eta()).toBeNull();
    await writer.write([row(2, now)]);
    // one of three steps is left, and steps take ten seconds
    const known = await eta();
    expect(known?.seconds).toBeGreaterThan(5);
    expect(known?.seconds).toBeLessThanOrEqual(10);
    expect(Math.abs(Date.parse(known?.at ?? '') - (now + 10_000))).toBeLessThan(5000);
    await writer.write([row(3, now)]);
    expect(await eta()).toBeNull();
  });

  it('lists evaluations with what was asked and what they found', async () => {
    const { runId, project, needs } = await createJob(server());
    const made = { runId, project, needs, kind: 'evaluate' as const, createdAt: 1000, createdBy: 'admin' };
    const evaluate = { path: 'checkpoints/step-000002', step: 2, episodes: 64, split: 'test' as const };
    const jobs = [
      newJob({ ...made, id: createId('job', 1000), evaluate }),
      newJob({
        ...made,
        id: createId('job', 2000),
        evaluate: { ...evaluate, step: 4 },
        state: 'finished',
        result: {
          model: 'checkpoints/step-000004',
          environment: 'bandit',
          episodes: 16,
          failed: 0,
          successRate: 0.5,
          successLow: 0.4,
          successHigh: 0.6,
          metrics: { 'validation/reward_mean': 2 },
        },
      }),
    ];
    for (const job of jobs)
      await server()
        .app.get(DataSource)
        .getRepository(Job)
        .insert(job as never);
    const found = await clientOf().runs.evaluations(runId);
    expect(found).toMatchObject([
      { state: 'queued', step: 2, episodes: 64, split: 'test', successRate: null, rewardMean: null },
      { state: 'finished', step: 4, successRate: 0.5, successLow: 0.4, successHigh: 0.6, rewardMean: 2 },
    ]);
    const first = await call(
      server().url,
      server().adminKey,
      'GET',
      `/api/v1/runs/${runId}/evaluations?first=1`,
    );
    expect(first.body).toMatchObject({
      items: [{ step: 2, createdAt: '1970-01-01T00:00:01.000Z', endedAt: null }],
    });
    const after = (first.body['pageInfo'] as { endCursor: string }).endCursor;
    const path = `/api/v1/runs/${runId}/evaluations?first=1&after=${after}`;
    const second = await call(server().url, server().adminKey, 'GET', path);
    expect(second.body).toMatchObject({
      items: [{ step: 4, successRate: 0.5 }],
      pageInfo: { hasNextPage: false },
    });
  });

  it('hides all of it from keys of other projects', async () => {
    const { runId } = await createJob(server());
    const key = await server().createKey({ name: 'other', role: 'operator', projects: ['other'] });
    for (const what of ['checkpoints', 'evaluations'])
      expect((await call(server().url, key, 'GET', `/api/v1/runs/${runId}/${what}`)).status).toBe(404);
  });
});

describeOnEach('the key of a request', (server) => {
  it('reads its role, its projects and what is left of its limits', async () => {
    const key = await server().createKey({
      name: 'mine',
      role: 'operator',
      projects: ['a', 'b'],
      maxRunning: 3,
    });
    const client = createClient({ url: server().url, key });
    const me = await client.me();
    expect(me).toMatchObject({ name: 'mine', role: 'operator', projects: ['a', 'b'] });
    expect(me.limits.runningJobs).toEqual({ limit: 3, used: 0, left: 3 });
    const { limit, used, left } = me.limits.requestsPerMinute;
    expect([limit, (used ?? 0) >= 1, left]).toEqual([30_000, true, 30_000 - used]);
    await createJob(server(), { project: 'a', createdBy: me.keyId });
    const { body } = await call(server().url, key, 'GET', '/api/v1/me');
    expect(body['limits']).toMatchObject({ queuedJobs: { used: 1, left: 9999 }, storedBytes: { used: 0 } });
    expect((await call(server().url, undefined, 'GET', '/api/v1/me')).status).toBe(401);
  });

  it('sees its own projects with their runs by state, page by page', async () => {
    for (const project of ['count-a', 'count-a', 'count-b', 'count-c'])
      await createJob(server(), { project });
    const projects = ['count-a', 'count-b'];
    const key = await server().createKey({ name: 'counts', role: 'viewer', projects });
    const found = [];
    for await (const one of createClient({ url: server().url, key }).projects()) found.push(one);
    expect(found).toMatchObject([
      { name: 'count-a', runs: 2, states: [{ state: 'queued', runs: 2 }] },
      { name: 'count-b', runs: 1, states: [{ state: 'queued', runs: 1 }] },
    ]);
    const first = await call(server().url, key, 'GET', '/api/v1/projects?first=1');
    expect(first.body).toMatchObject({ items: [{ name: 'count-a' }], pageInfo: { hasNextPage: true } });
    const next = await call(
      server().url,
      key,
      'GET',
      `/api/v1/projects?after=${(first.body['pageInfo'] as { endCursor: string }).endCursor}`,
    );
    expect(next.body).toMatchObject({ items: [{ name: 'count-b' }], pageInfo: { hasNextPage: false } });
  });

  it('reads runs by their ids, leaving out those it may not see', async () => {
    const seen = await createJob(server(), { project: 'ids-a' });
    const hidden = await createJob(server(), { project: 'ids-b' });
    const key = await server().createKey({ name: 'ids', role: 'viewer', projects: ['ids-a'] });
    const query = 'query ($ids: [ID!]) { runs(filter: { ids: $ids }) { nodes { id } } }';
    const ids = [hidden.runId, seen.runId, 'run-none'];
    const told = await ask(server().url, key, query, { ids });
    expect(told.body.data).toEqual({ runs: { nodes: [{ id: seen.runId }] } });
    const none = await ask(server().url, key, query, { ids: [] });
    expect(none.body.data).toEqual({ runs: { nodes: [] } });
    const rest = await call(
      server().url,
      key,
      'GET',
      `/api/v1/runs?${ids.map((id) => `id=${id}`).join('&')}`,
    );
    expect(rest.body).toMatchObject({ items: [{ id: seen.runId }], pageInfo: { hasNextPage: false } });
  });
});
