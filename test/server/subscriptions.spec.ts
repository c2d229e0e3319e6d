import { createClient, type Client } from 'graphql-ws';
import { readFileSync } from 'node:fs';
import { waitFor } from '@espalier/testing';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DataSource } from 'typeorm';
import { LiveBus } from '../../apps/server/src/core/database/live-bus.js';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describe('GraphQL subscriptions about runs', () => {
  let server: TestServer;
  const clients: Client[] = [];
  beforeAll(async () => {
    server = await startTestServer({ stream: { flushMs: 20 } });
  });
  afterAll(async () => {
    for (const client of clients) await client.dispose();
    await server.close();
  });

  const subscribe = (query: string, variables: Record<string, unknown>, key = server.adminKey) => {
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { key },
      retryAttempts: 0,
    });
    clients.push(client);
    const items: Record<string, never>[] = [];
    const errors: unknown[] = [];
    client.subscribe<Record<string, never>>(
      { query, variables },
      {
        next: ({ data, errors: told }) => {
          if (told !== undefined) errors.push(...told);
          if (data !== undefined && data !== null) items.push(data);
        },
        error: (error) => errors.push(...(Array.isArray(error) ? (error as unknown[]) : [error])),
        complete: () => undefined,
      },
    );
    return { items, errors };
  };

  interface Metrics {
    readonly runMetrics: {
      runId: string;
      after: number;
      cursor: number;
      steps: number[];
      series: { name: string; values: (number | null)[] }[];
    };
  }
  const comparisonQuery = `subscription ($runs: [FollowedRun!]!, $names: [String!]) {
    runMetrics(runs: $runs, names: $names) { runId cursor series { name values } } }`;
  const metricsQuery = `subscription ($runId: ID!, $after: SafeInt, $names: [String!]) {
    runMetrics(runs: { runId: $runId, after: $after }, names: $names) { after cursor steps series { name values } } }`;

  it('are all in the list of docs/use/api.md', () => {
    const { schema } = server.app.get(GraphQLSchemaHost, { strict: false });
    const [, rows = ''] = readFileSync('docs/use/api.md', 'utf8').split(/^\| subscription .*\n\|[- |]+\n/m);
    const listed = [...(rows.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).sort());
  });

  it('give metrics from a cursor on, and live after that, each row once', async () => {
    const writer = await createWriter(server);
    await writer.write(Array.from({ length: 2500 }, (_, step) => metricsEvent(step, { a: step, b: null })));
    const { items, errors } = subscribe(metricsQuery, { runId: writer.runId, after: 100 });
    const rows = () => (items as unknown as Metrics[]).flatMap(({ runMetrics }) => runMetrics.steps);
    await waitFor('history has come', () => rows().length >= 2400 || errors.length > 0);
    for (let step = 2500; step < 2600; step += 1) await writer.write([metricsEvent(step, { a: step })]);
    await waitFor('what is new has come', () => rows().length >= 2500);
    expect(errors).toEqual([]);
    expect(rows()).toEqual(Array.from({ length: 2500 }, (_, index) => index + 100));
    const values = (items as unknown as Metrics[]).flatMap(
      ({ runMetrics }) => runMetrics.series.find(({ name }) => name === 'a')?.values,
    );
    expect(values).toEqual(rows());
  });

  it('give only the metrics asked for', async () => {
    const writer = await createWriter(server);
    await writer.write([metricsEvent(0, { a: 1, b: 2 }), metricsEvent(1, { b: 3 })]);
    const { items } = subscribe(metricsQuery, { runId: writer.runId, names: ['a'] });
    await waitFor('a batch has come', () => items.length === 1);
    expect(items).toMatchObject([
      { runMetrics: { after: 0, cursor: 2, steps: [0], series: [{ name: 'a', values: [1] }] } },
    ]);
  });

  it('give metrics of several runs, each from its own cursor on', async () => {
    const writers = await Promise.all(['one', 'two', 'three'].map(() => createWriter(server)));
    for (const writer of writers)
      await writer.write(Array.from({ length: 100 }, (_, step) => metricsEvent(step, { a: step, b: -step })));
    const runs = writers.map(({ runId }, index) => ({ runId, after: 20 * index }));
    const { items, errors } = subscribe(comparisonQuery, { runs, names: ['a'] });
    const seen = (runId: string) =>
      (items as unknown as Metrics[])
        .filter(({ runMetrics }) => runMetrics.runId === runId)
        .flatMap(({ runMetrics }) => {
          expect(runMetrics.series.map(({ name }) => name)).toEqual(['a']);
          return runMetrics.series.flatMap(({ values }) => values);
        });
    const from = (first: number, last: number) =>
      Array.from({ length: last - first }, (_, index) => first + index);
    await waitFor('history has come', () => writers.every(({ runId }) => seen(runId).length >= 60));
    // a busy run does not hold up the others
    for (let step = 100; step < 150; step += 1) await writers[1]?.write([metricsEvent(step, { a: step })]);
    for (const index of [0, 2]) await writers[index]?.write([metricsEvent(100, { a: 100 })]);
    await waitFor('what is new has come', () =>
      writers.every(({ runId }, index) => seen(runId).at(-1) === (index === 1 ? 149 : 100)),
    );
    expect(writers.map(({ runId }) => seen(runId))).toEqual([from(0, 101), from(20, 150), from(40, 101)]);
    expect(errors).toEqual([]);
  });

  it('of several runs are refused as a whole, for a run that is unknown, named twice or one too many', async () => {
    const { runId } = await createWriter(server);
    const { runId: secret } = await createWriter(server, 'hidden');
    const key = await server.createKey({ name: 'v2', role: 'viewer', projects: ['default'] });
    const many = Array.from({ length: 51 }, (_, index) => ({ runId: `run-${index}` }));
    for (const [runs, code] of [
      [[{ runId }, { runId: secret }], 'server.not_found'],
      [[{ runId }, { runId }], 'server.invalid_input'],
      [[], 'server.invalid_input'],
      [many, 'server.invalid_input'],
      [[{ runId, after: 5 }], 'server.invalid_cursor'],
    ] as const) {
      const { items, errors } = subscribe(comparisonQuery, { runs }, key);
      await waitFor('it is refused', () => errors.length > 0);
      expect([items, errors]).toMatchObject([[], [{ extensions: { code } }]]);
    }
  });

  it('give episodes turn by turn while they are played, and store none of it', async () => {
    const writer = await createWriter(server);
    const { runId } = writer;
    const turn = (step: number, index: number, at: number, more: object = {}) => ({
      kind: 'turn' as const,
      time: 1000 + at,
      step,
      id: `train/${step}/0/${index}`,
      environment: 'lake',
      turn: at,
      phase: 'sampling' as const,
      observation: `state ${at}`,
      render: '',
      image: 'iVBORw==',
      response: null,
      actions: [],
      reward: 0,
      totalReward: at,
      ended: null,
      ...more,
    });
    const told = { phase: 'over', observation: null, render: null, image: null };
    const early = Array.from({ length: 10 }, (_, at) => [
      turn(2, 0, at),
      turn(2, 0, at, { ...told, response: `reply ${at}`, actions: ['Up'] }),
    ]).flat();
    await writer.write([turn(1, 0, 0), ...early, turn(2, 1, 0)]);
    const follow = (ids?: string[]) =>
      subscribe(
        `subscription ($runId: ID!, $ids: [ID!]) { trajectoriesInFlight(runId: $runId, ids: $ids) { id step phase preview reward ended turns { turn observation response image actions } } }`,
        { runId, ...(ids === undefined ? {} : { ids }) },
      );
    const [followed, one] = [follow(), follow(['train/2/0/1'])];
    await waitFor(
      'those that are played come first',
      () => followed.items.length === 1 && one.items.length === 1,
    );
    const list = async () => {
      const address = `${server.url}/api/v1/runs/${runId}/trajectories-in-flight`;
      const response = await fetch(address, { headers: { authorization: `Bearer ${server.adminKey}` } });
      return ((await response.json()) as { items: { id: string; turns: { image: string | null }[] }[] })
        .items;
    };
    const [first, second] = await list();
    expect([first?.id, second?.id]).toEqual(['train/2/0/0', 'train/2/0/1']);
    expect(first).toMatchObject({ turn: 9, phase: 'over', preview: 'reply 9', reward: 9 });
    // the newest eight turns, pictures of two
    expect(first?.turns).toMatchObject(
      [2, 3, 4, 5, 6, 7, 8, 9].map((at) => ({
        turn: at,
        observation: `state ${at}`,
        response: `reply ${at}`,
      })),
    );
    expect(first?.turns.map(({ image }) => image !== null)).toEqual([
      ...Array<boolean>(6).fill(false),
      true,
      true,
    ]);
    await writer.write([
      turn(2, 1, 0, { response: 'left', phase: 'acting' }),
      turn(2, 1, 0, { response: 'left', phase: 'over', actions: ['Left'], ended: 'failure' }),
    ]);
    await waitFor('it is told', () => followed.items.length === 2 && one.items.length === 2);
    const failed = {
      trajectoriesInFlight: [
        {
          id: 'train/2/0/1',
          phase: 'OVER',
          ended: 'FAILURE',
          turns: [{ response: 'left', actions: ['Left'] }],
        },
      ],
    };
    expect([followed.items[1], one.items[1]]).toMatchObject([failed, failed]);
    // its row ends an episode that did not say so itself, and what is told late of it changes nothing
    const row = trajectoryEvent(2, 0, { stopReason: 'context' });
    await writer.write([row, turn(2, 0, 10, { time: row.time })]);
    await waitFor('its end is told', () => followed.items.length === 3);
    expect(followed.items[2]).toMatchObject({
      trajectoriesInFlight: [{ id: 'train/2/0/0', ended: 'CONTEXT' }],
    });
    expect((await list()).map(({ id }) => id)).toEqual(['train/2/0/1']);
    expect(one.items).toHaveLength(2);
    const events = await fetch(`${server.url}/api/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(await events.text()).not.toContain('reply 9');
  });

  it('give other records, progress and changes of the run', async () => {
    const writer = await createWriter(server);
    const { runId } = writer;
    const events = subscribe(
      `subscription ($runId: ID!) { runEvents(runId: $runId) { cursor records { kind step attempt body { ... on WarningEvent { code message } ... on LevelEvent { environmentTag from to levels successRate groups } } } } }`,
      { runId },
    );
    const progress = subscribe(
      `subscription ($runId: ID!) { progress(runId: $runId) { step steps phase done total } }`,
      { runId },
    );
    const changes = subscribe(
      `subscription ($runId: ID) { runChanged(runId: $runId) { id step warnings } }`,
      { runId },
    );
    // neither is told again to who comes late
    const bus = server.app.get(LiveBus, { strict: false });
    await waitFor('all listen', () => bus.hasListeners('progress', runId) && bus.hasListeners('run', runId));
    await writer.write([
      { kind: 'phase', time: 1, step: 3, phase: 'collect', done: 1, total: 4 },
      metricsEvent(3, { a: 1 }),
      { kind: 'warning', time: 1, step: 3, code: 'health.x', message: 'careful' },
      { kind: 'level', time: 1, step: 3, from: 1, to: 2, levels: 3, successRate: 0.75, groups: 4 },
    ]);
    await waitFor('each has told something', () =>
      [events, progress, changes].every(({ items }) => items.length > 0),
    );
    expect(events.items).toEqual([
      {
        runEvents: {
          cursor: 3,
          records: [
            { kind: 'WARNING', step: 3, attempt: 1, body: { code: 'health.x', message: 'careful' } },
            {
              kind: 'LEVEL',
              step: 3,
              attempt: 1,
              body: { environmentTag: null, from: 1, to: 2, levels: 3, successRate: 0.75, groups: 4 },
            },
          ],
        },
      },
    ]);
    expect(progress.items).toEqual([
      { progress: { step: 3, steps: 0, phase: 'COLLECT', done: 1, total: 4 } },
    ]);
    expect(changes.items).toEqual([{ runChanged: { id: runId, step: 3, warnings: 1 } }]);
  });

  it('tell nothing of runs in other projects', async () => {
    const writer = await createWriter(server, 'secret');
    const key = await server.createKey({ name: 'v', role: 'viewer', projects: ['open'] });
    const metrics = subscribe(metricsQuery, { runId: writer.runId }, key);
    const changes = subscribe(`subscription { runChanged { id } }`, {}, key);
    await waitFor('it is refused', () => metrics.errors.length > 0);
    expect(metrics.errors).toMatchObject([{ extensions: { code: 'server.not_found' } }]);
    await writer.write([metricsEvent(0, { a: 1 })]);
    const open = await createWriter(server, 'open');
    await open.write([metricsEvent(0, { a: 1 })]);
    await waitFor('a change has come', () => changes.items.length > 0);
    expect(changes.items).toEqual([{ runChanged: { id: open.runId } }]);
    expect(server.app.get(RunLog, { strict: false })).toBeDefined();
    expect(await server.app.get(DataSource).getRepository(Run).countBy({ project: 'secret' })).toBe(1);
  });
});
