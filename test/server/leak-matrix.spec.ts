import { readFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { listEndpoints } from '../../apps/server/src/api/access/list-endpoints.js';
import { LiveBus } from '../../apps/server/src/core/database/live-bus.js';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { RatingSet } from '../../apps/server/src/core/database/entities/rating.js';
import { RunComment } from '../../apps/server/src/core/database/entities/run-comment.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { DataSource } from 'typeorm';
import { ask, call, codesOf, type Told } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { writeOperation } from './leak-recipes.js';
import { canary, createWorld, snapshot, type World } from './leak-world.js';
import { createEndpointTrial } from './endpoint-trial.js';
import { leastRoles } from './endpoint-roles.js';
import { bodyOf, fill, queryOf } from './rest-recipes.js';

type RoleName = (typeof strangers)[number] | 'admin';
const strangers = ['none', 'viewer', 'operator', 'worker'] as const;

/** Not of one project: what anybody with a key of enough rank may see or do. */
const shared = new Set([
  'worker',
  'workers',
  'workerChanged',
  'drainWorker',
  'undrainWorker',
  'forgetWorker',
  'reloadPlugins',
  'plugins',
  'version',
  // reaches the pages of the caller's own key, and says nothing of what it names
  'showView',
  'viewShown',
]);

/** Codes of refusals that are members of a result. */
const refusalsOf = ({ body }: Told): string[] =>
  [...JSON.stringify(body.data ?? null).matchAll(/"(?:\w+_)?code":"([^"]+)"/g)].map(([, code = '']) => code);

describe('nothing leaks between projects', () => {
  let server: TestServer;
  let world: World;
  let schema: GraphQLSchema;
  let before: string;
  const keys: Record<RoleName, string | undefined> = { none: undefined } as never;
  beforeAll(async () => {
    const graphql = { maxTokens: 1_000_000, maxCost: 1_000_000_000, maxDepth: 50 };
    server = await startTestServer({ graphql, limits: { unknownKeysPerMinute: 10_000 } });
    for (const role of ['viewer', 'operator'] as const)
      keys[role] = await server.createKey({ name: role, role, projects: ['ours'] });
    await server.createKey({ name: 'theirs', role: 'operator', projects: ['theirs'] });
    keys.worker = server.workerKey;
    keys.admin = server.adminKey;
    world = await createWorld(server);
    const { body } = await ask(server.url, server.adminKey, getIntrospectionQuery());
    schema = buildClientSchema(body.data as unknown as IntrospectionQuery);
    before = await snapshot(server, world);
  });
  afterAll(() => server.close());

  it('through any query, for any role', async () => {
    const seenByAdmin: string[] = [];
    let asked = 0;
    for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
      for (const onlyRequired of [true, false]) {
        const { query, variables, isPointing } = writeOperation(schema, 'query', field, world, onlyRequired);
        for (const role of strangers) {
          const told = await ask(server.url, keys[role], query, variables);
          asked += 1;
          const where = `${field.name} as ${role}: ${JSON.stringify(told.body).slice(0, 600)}`;
          const shown = JSON.stringify(told.body.data ?? null);
          expect(
            shown.includes(canary) || shown.includes(world.run) || shown.includes(world.job),
            where,
          ).toBe(false);
          if (role === 'none') expect(codesOf(told), where).toEqual(['access.unauthenticated']);
          else if (role === 'worker')
            expect(new Set(codesOf(told)), where).toEqual(new Set(['access.denied']));
          else if (isPointing && !shared.has(field.name) && told.body.errors !== undefined)
            for (const code of codesOf(told))
              expect(['server.not_found', 'access.denied'], where).toContain(code);
          expect(codesOf(told), where).not.toContain('graphql.invalid');
        }
        const told = await ask(server.url, keys.admin, query, variables);
        if (JSON.stringify(told.body.data ?? null).includes(canary)) seenByAdmin.push(field.name);
      }
    expect(asked).toBeGreaterThan(100);
    // What the world holds can be seen by who may: else the test would prove nothing.
    const expected = [
      'alerts',
      'job',
      'jobs',
      'metricNames',
      'run',
      'runLogs',
      'runs',
      'trajectories',
      'compareRuns',
      'metricHistory',
    ];
    expect([...new Set(seenByAdmin)]).toEqual(expect.arrayContaining(expected));
  });

  it('through any mutation, and none of it is changed', async () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      if (shared.has(field.name)) continue;
      const { query, variables } = writeOperation(schema, 'mutation', field, world, false);
      for (const role of strangers) {
        const told = await ask(server.url, keys[role], query, variables);
        const where = `${field.name} as ${role}: ${JSON.stringify(told.body).slice(0, 600)}`;
        expect(JSON.stringify(told.body), where).not.toContain(canary);
        const codes = [...codesOf(told), ...refusalsOf(told)];
        expect(codes.length, where).toBeGreaterThan(0);
        for (const code of codes)
          expect(['access.unauthenticated', 'access.denied', 'server.not_found'], where).toContain(code);
      }
    }
    expect(await snapshot(server, world)).toBe(before);
  });

  it('through any subscription, for any role', async () => {
    const seenByAdmin = new Set<string>();
    // progress has no words of a run, only its id, and a queue only numbers: nothing of ours is running
    const marks: Readonly<Record<string, string>> = { progress: world.run, queueChanged: '"running":1' };
    for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {}))
      for (const onlyRequired of [true, false]) {
        const { query, variables } = writeOperation(schema, 'subscription', field, world, onlyRequired);
        const heard = new Map<RoleName, { told: unknown[]; errors: unknown[] }>();
        const clients = [...strangers, 'admin' as const].map((role) => {
          const client = createClient({
            url: `${server.url.replace('http', 'ws')}/graphql`,
            webSocketImpl: WebSocket,
            retryAttempts: 0,
            connectionParams: { key: keys[role] ?? '' },
          });
          const [told, errors]: unknown[][] = [[], []];
          heard.set(role, { told: told ?? [], errors: errors ?? [] });
          const sink = {
            next: (value: { data?: unknown; errors?: unknown }) =>
              void (value.errors === undefined ? told?.push(value.data) : errors?.push(value.errors)),
            error: (error: unknown) => void errors?.push(error),
            complete: () => undefined,
          };
          client.subscribe({ query, variables }, sink);
          return client;
        });
        const mark = marks[field.name] ?? canary;
        const isPointed = 'runId' in variables || 'jobId' in variables;
        const isRefused = (role: RoleName): boolean => (heard.get(role)?.errors.length ?? 0) > 0;
        const isDone = (): boolean =>
          (shared.has(field.name) || JSON.stringify(heard.get('admin')?.told).includes(mark)) &&
          ['none' as const, 'worker' as const].every(isRefused) &&
          (!isPointed || ['viewer' as const, 'operator' as const].every(isRefused));
        for (let tries = 0; tries < 100 && (tries < 2 || !isDone()); tries += 1) {
          await new Promise((done) => setTimeout(done, 100));
          await publishWorld();
        }
        // what comes after that would come late
        await new Promise((done) => setTimeout(done, 100));
        for (const client of clients) await client.dispose();
        for (const [role, { told, errors }] of heard) {
          const shown = JSON.stringify(told);
          const where = `${field.name} as ${role}: ${shown} ${JSON.stringify(errors)}`;
          if (role === 'admin') {
            expect(errors, where).toEqual([]);
            if (shown.includes(mark)) seenByAdmin.add(field.name);
            continue;
          }
          for (const secret of [canary, world.run, world.job, mark])
            expect(shown, where).not.toContain(secret);
          if (isPointed && (role === 'viewer' || role === 'operator'))
            expect(JSON.stringify(errors), where).toMatch(/server\.not_found/);
          if (role === 'none' || role === 'worker') expect(errors, where).toHaveLength(1);
        }
      }
    // Who may see it does: the operations are right, and what is published comes out.
    expect([...seenByAdmin].sort()).toEqual([
      'alertChanged',
      'jobChanged',
      'progress',
      'queueChanged',
      'ratingSetChanged',
      'runChanged',
      'runCommentChanged',
      'runEvents',
      'runMetrics',
      'trajectoriesInFlight',
      'trajectoryAdded',
    ]);
  });

  /** Tells the subscriptions of everything in `theirs`. */
  async function publishWorld(): Promise<void> {
    const bus = server.app.get(LiveBus);
    const source = server.app.get(DataSource);
    bus.publish('run', world.run, await source.getRepository(Run).findOneByOrFail({ id: world.run }));
    bus.publish('job', world.job, await source.getRepository(Job).findOneByOrFail({ id: world.job }));
    bus.publish('alert', world.alert, await source.getRepository(Alert).findOneByOrFail({ id: world.alert }));
    const comment = await source.getRepository(RunComment).findOneByOrFail({ id: world.comment });
    bus.publish('comment', world.run, { comment, isDeleted: false });
    const set = await source.getRepository(RatingSet).findOneByOrFail({ id: world.ratingSet });
    bus.publish('ratingSet', world.ratingSet, set);
    const progress = { runId: world.run, step: 0, steps: 3, phase: 'collect' as const, done: 1, total: 2 };
    bus.publish('progress', world.run, progress);
    const [id, environment] = [world.trajectory, canary];
    const episode = {
      runId: world.run,
      id,
      step: 1,
      environment,
      startedAt: 1,
      updatedAt: 2,
      turn: 0,
      phase: 'sampling' as const,
      preview: canary,
      reward: 0,
      turns: [],
      ended: null,
    };
    bus.publish('inFlight', world.run, episode);
  }

  it('through any route of REST, for any role', async () => {
    const { body } = await call(server.url, undefined, 'GET', '/docs/json');
    const paths = Object.entries(body['paths'] as Record<string, Record<string, unknown>>);
    expect(paths.length).toBeGreaterThan(20);
    const seenByAdmin: string[] = [];
    for (const [path, methods] of paths)
      for (const method of Object.keys(methods)) {
        const isOpen = path.startsWith('/health/');
        const address = `${fill(path, world)}${queryOf(methods[method], world)}`;
        const sent = method === 'get' ? undefined : bodyOf(path, world);
        const headers: Record<string, string> = path.includes('/artifacts/')
          ? { 'content-type': 'application/octet-stream' }
          : {};
        const isShared = /\/workers|\/plugins|^\/metrics/.test(path);
        if (isOpen || (isShared && method !== 'get')) continue;
        for (const role of strangers) {
          const told = await call(server.url, keys[role], method.toUpperCase(), address, sent, headers);
          const where = `${method} ${path} as ${role}: ${told.status} ${JSON.stringify(told.body).slice(0, 400)}`;
          const shown = JSON.stringify(told.body)
            .replaceAll(`policy/${canary}`, '')
            .replaceAll(world.file, '')
            .replaceAll(world.trajectory, '');
          expect(shown, where).not.toContain(canary);
          if (role === 'none') expect(told.status, where).toBe(401);
          else if (path.includes('{') && !isShared)
            expect(role === 'worker' ? [403, 404, 409] : [403, 404], where).toContain(told.status);
          expect(told.status, where).not.toBe(500);
        }
        if (method === 'get') {
          const told = await call(server.url, keys.admin, 'GET', address);
          if (told.status === 200 && JSON.stringify(told.body).includes(canary)) seenByAdmin.push(path);
        }
      }
    expect(seenByAdmin, JSON.stringify(seenByAdmin)).toEqual(
      expect.arrayContaining(['/api/v1/runs', '/api/v1/runs/{id}', '/api/v1/jobs', '/api/v1/alerts']),
    );
    expect(await snapshot(server, world)).toBe(before);
  });

  it('through any message of a socket, for any role', async () => {
    const messages: Record<string, { namespace: string; body: unknown }> = {
      'StreamGateway.follow': { namespace: '/stream', body: { runId: world.run, after: 0 } },
      'StreamGateway.unfollow': { namespace: '/stream', body: { runId: world.run } },
      'WorkerGateway.hello': { namespace: '/workers', body: {} },
      'WorkerGateway.heartbeat': { namespace: '/workers', body: {} },
      'WorkerGateway.events': { namespace: '/workers', body: {} },
      'WorkerGateway.reply': { namespace: '/workers', body: {} },
    };
    const known = listEndpoints(server.app).filter(({ kind }) => kind === 'message');
    expect(known.map(({ name }) => name).sort()).toEqual(Object.keys(messages).sort());
    for (const [name, { namespace, body }] of Object.entries(messages))
      for (const role of strangers) {
        const socket = io(`${server.url}${namespace}`, {
          auth: { key: keys[role] },
          transports: ['websocket'],
          reconnection: false,
          forceNew: true,
        });
        const heard: unknown[] = [];
        socket.onAny((...said: unknown[]) => heard.push(said));
        const isOpen = await new Promise<boolean>((done) => {
          socket.once('connect', () => done(true));
          socket.once('connect_error', () => done(false));
        });
        const mayConnect =
          namespace === '/workers' ? role === 'worker' : role === 'viewer' || role === 'operator';
        expect(isOpen, `${name} as ${role}`).toBe(mayConnect);
        if (isOpen) {
          const event = name.split('.')[1] ?? '';
          heard.push(await socket.timeout(2000).emitWithAck(event, body).catch(String));
          await new Promise((done) => setTimeout(done, 50));
        }
        socket.disconnect();
        expect(JSON.stringify(heard), `${name} as ${role}`).not.toContain(canary);
        if (event(name) === 'follow' && isOpen)
          expect(heard.at(-1), `${name} as ${role}`).toMatchObject({ ok: false, code: 'server.not_found' });
      }
  });

  it('and in its own project a role gets through exactly the endpoints it is meant to', async () => {
    const trial = await createEndpointTrial(server, schema, world);
    const found = await Promise.all([trial.fields(), trial.routes(), trial.messages()]);
    expect(Object.assign({}, ...found)).toEqual(leastRoles);
    // what was refused was refused before anything was done
    expect(await snapshot(server, world)).toBe(before);
  });

  it('is tried on the schema as it is committed', () => {
    const committed = readFileSync('apps/server/schema.gql', 'utf8');
    const { schema: served } = server.app.get(GraphQLSchemaHost, { strict: false });
    for (const name of Object.keys(served.getQueryType()?.getFields() ?? {}))
      expect(committed).toContain(`  ${name}`);
  });
});

const event = (name: string): string => name.split('.')[1] ?? '';
