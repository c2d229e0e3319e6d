import { createClient } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { parse } from 'graphql';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { cpuSlots, SimulatedWorker } from '../support/simulated-worker.js';

const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
const nowhere = { needs: { labels: ['nowhere'] } };

describeOnEach('what a dashboard lists', (server) => {
  const rest = async (path: string, key = server().adminKey) =>
    (await call(server().url, key, 'GET', `/api/v1${path}`)).body;
  const graphql = async (query: string, key = server().adminKey) => {
    const { body } = await ask(server().url, key, query);
    expect(body.errors).toBeUndefined();
    return body.data as Record<string, never>;
  };
  const createRun = async (project: string): Promise<string> => {
    const body = { source, project, ...nowhere };
    return String((await call(server().url, server().adminKey, 'POST', '/api/v1/runs', body)).body['id']);
  };
  const insertAlert = async (runId: string, severity: Alert['severity'], time: number): Promise<string> => {
    const id = createId('alert');
    const fields = { project: 'watched', code: 'test.code', message: 'm', step: -1 };
    const open = { acknowledgedAt: null, acknowledgedBy: null };
    await server()
      .app.get(DataSource)
      .getRepository(Alert)
      .insert({ id, runId, severity, time, ...fields, ...open });
    return id;
  };
  /** Reads the ids of a list one by one. */
  const readIds = async (list: string, args: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let after = ''; ;) {
      const cursor = after === '' ? '' : `, after: "${after}"`;
      const data = await graphql(
        `{ ${list}(first: 1, ${args}${cursor}) { nodes { id } pageInfo { endCursor hasNextPage } } }`,
      );
      const { nodes, pageInfo } = data[list] as unknown as {
        nodes: { id: string }[];
        pageInfo: { endCursor: string; hasNextPage: boolean };
      };
      ids.push(...nodes.map(({ id }) => id));
      if (!pageInfo.hasNextPage) return ids;
      after = pageInfo.endCursor;
    }
  };

  it('alerts by time and severity, counted by severity, and told when one changes', async () => {
    const runId = await createRun('watched');
    const info = await insertAlert(runId, 'info', 3000);
    const warning = await insertAlert(runId, 'warning', 2000);
    const oldError = await insertAlert(runId, 'error', 1000);
    const newError = await insertAlert(runId, 'error', 4000);
    const filter = `filter: { runId: "${runId}" }`;
    expect(await readIds('alerts', filter)).toEqual([newError, info, warning, oldError]);
    const bySeverity = [newError, oldError, warning, info];
    expect(await readIds('alerts', `${filter}, orderBy: { field: SEVERITY, direction: DESC }`)).toEqual(
      bySeverity,
    );
    const { items } = await rest(`/alerts?runId=${runId}&orderBy=severity&direction=desc`);
    expect((items as { id: string }[]).map(({ id }) => id)).toEqual(bySeverity);
    const within = `filter: { runId: "${runId}", since: "1970-01-01T00:00:02Z", until: "1970-01-01T00:00:04Z" }`;
    expect(await readIds('alerts', within)).toEqual([info, warning]);
    expect(await readIds('alerts', `filter: { runId: "${runId}", severity: WARNING }`)).toEqual([warning]);

    const client = createClient({ url: server().url, key: server().adminKey });
    const changes: unknown[] = [];
    const document = parse('subscription ($runId: ID) { alertChanged(runId: $runId) { id acknowledgedBy } }');
    const watch = async (): Promise<void> => {
      for await (const change of client.subscribe(document as never, { runId })) changes.push(change);
    };
    const watching = watch().catch(() => undefined);
    const acknowledge = `mutation { acknowledgeAlert(input: { alertId: "${oldError}" }) { __typename } }`;
    await waitFor('the change has arrived', async () => {
      await server()
        .app.get(DataSource)
        .getRepository(Alert)
        .update({ id: oldError }, { acknowledgedAt: null });
      await graphql(acknowledge);
      return changes.length > 0;
    });
    expect(changes[0]).toEqual({ alertChanged: { id: oldError, acknowledgedBy: 'admin' } });
    await client.dispose();
    await watching;

    const counts = [
      { severity: 'error', total: 2, unacknowledged: 1 },
      { severity: 'warning', total: 1, unacknowledged: 1 },
      { severity: 'info', total: 1, unacknowledged: 1 },
    ];
    expect(await rest(`/alerts/counts?runId=${runId}`)).toEqual({ items: counts });
    const counted = `{ alertCounts(${filter}) { severity total unacknowledged } }`;
    expect((await graphql(counted))['alertCounts']).toEqual(
      counts.map((count) => ({ ...count, severity: count.severity.toUpperCase() })),
    );
    const other = await server().createKey({ name: 'other', role: 'viewer', projects: ['elsewhere'] });
    expect((await rest(`/alerts/counts?runId=${runId}`, other))['items']).toEqual(
      counts.map((count) => ({ ...count, total: 0, unacknowledged: 0 })),
    );
  });

  it('entries of the audit log by actor, action, subject, outcome and time', async () => {
    const operator = await server().createKey({ name: 'robot', role: 'operator' });
    const createdFrom = new Date().toISOString();
    const body = { source, project: 'audited', ...nowhere };
    const { body: run } = await call(server().url, operator, 'POST', '/api/v1/runs', body);
    const runId = String(run['id']);
    await call(server().url, operator, 'POST', `/api/v1/runs/${runId}/cancel`, {});
    const actions = async (query: string): Promise<string[]> =>
      ((await rest(`/audit?${query}`))['items'] as { action: string }[]).map(({ action }) => action);
    expect(await actions('keyName=robot')).toEqual(['run.cancel', 'run.create']);
    expect(await actions('keyName=robot&orderBy=time&direction=asc')).toEqual(['run.create', 'run.cancel']);
    expect(await actions(`subject=${runId}&action=run.cancel`)).toEqual(['run.cancel']);
    expect(await actions('keyName=robot&outcome=access.denied')).toEqual([]);
    expect(await actions(`keyName=robot&until=${createdFrom}`)).toEqual([]);
    expect(await actions(`keyName=robot&since=${createdFrom}`)).toHaveLength(2);
    const data = await graphql(
      `{ auditLog(filter: { subject: "${runId}", since: "${createdFrom}" }, orderBy: { field: TIME, direction: ASC }) { nodes { action keyName } totalCount } }`,
    );
    expect(data['auditLog']).toEqual({
      nodes: [
        { action: 'run.create', keyName: 'robot' },
        { action: 'run.cancel', keyName: 'robot' },
      ],
      totalCount: 2,
    });
  });

  it('keys by name and use, workers by connection', async () => {
    const client = createClient({ url: server().url, key: server().adminKey });
    for (const name of ['zebra', 'aardvark']) await client.keys.create({ name, role: 'viewer' });
    const { items } = await client.keys.list({ orderBy: { field: 'name', direction: 'asc' } });
    const names = items.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('zebra');
    const used = await rest('/keys?orderBy=lastUsedAt&direction=asc');
    expect((used['items'] as { name: string }[]).at(-1)?.name).toMatch(/aardvark|zebra/);
    const workers: SimulatedWorker[] = [];
    for (const name of ['w-second', 'w-first']) {
      const worker = new SimulatedWorker(server().url, server().workerKey, { name, labels: [name] });
      workers.push(worker);
      await worker.connect();
    }
    const byConnection = { orderBy: { field: 'connectedAt', direction: 'asc' } } as const;
    const connected = (await client.workers.list(byConnection)).items.map(({ name }) => name);
    expect(connected).toEqual(['w-second', 'w-first']);
    expect((await client.workers.list()).items.map(({ name }) => name)).toEqual(['w-first', 'w-second']);
    for (const worker of workers) worker.close();
  });

  it('the queue, as often as it changes', async () => {
    const key = await server().createKey({ name: 'queue', role: 'operator', projects: ['queue'] });
    const client = createClient({ url: server().url, key });
    const seen: number[] = [];
    const document = parse('subscription { queueChanged { queued running } }');
    const watch = async (): Promise<void> => {
      for await (const change of client.subscribe(document as never, {}))
        seen.push((change as { queueChanged: { queued: number } }).queueChanged.queued);
    };
    const watching = watch().catch(() => undefined);
    await waitFor('the present state has arrived', () => seen.length > 0);
    const runId = await createRun('queue');
    await createRun('not-mine');
    await waitFor('the run has arrived', () => seen.at(-1) === 1);
    expect(seen[0]).toBe(0);
    const { queuedAt } = await server().app.get(DataSource).getRepository(Job).findOneByOrFail({ runId });
    const oldestQueuedAt = new Date(queuedAt).toISOString();
    const expected = { queued: 1, assigned: 0, running: 0, oldestQueuedAt };
    expect(await rest('/jobs/queue', key)).toEqual(expected);
    const query = '{ queue { queued assigned running oldestQueuedAt } }';
    expect((await graphql(query, key))['queue']).toEqual(expected);
    await client.dispose();
    await watching;
  });

  it('the JSON Schema of a run spec, with the options of plugins', async () => {
    const schema = await rest('/run-spec-schema');
    const { properties } = schema as unknown as {
      properties: { steps: object; environment: { anyOf: { properties: { use: { const?: string } } }[] } };
    };
    expect(properties.steps).toBeDefined();
    expect(properties.environment.anyOf.map(({ properties: { use } }) => use.const)).toContain('bandit');
    expect((await graphql('{ runSpecSchema }'))['runSpecSchema']).toEqual(schema);
  });

  it('what devices did, minute by minute, by every way alike', async () => {
    const worker = new SimulatedWorker(server().url, server().workerKey, {
      name: 'watched',
      devices: cpuSlots(1).map((slot) => ({ ...slot, utilisation: 0.25 })),
      heartbeatMs: 0,
    });
    const { workerId: id } = await worker.connect();
    await worker.beat();
    const client = createClient({ url: server().url, key: server().adminKey });
    const spans = await client.workers.deviceHistory(id, { hours: 1, points: 4 });
    expect(spans.map(({ devices }) => devices.map(({ utilisation }) => utilisation))).toEqual([[0.25]]);
    const { spans: same } = await rest(`/workers/${id}/device-history?hours=1&points=4`);
    expect((same as typeof spans)[0]?.devices).toEqual(spans[0]?.devices);
    worker.close();
    expect((await rest(`/workers/${id}/device-history?points=0`))['code']).toBe('server.invalid_input');
  });
});
