import { Validator } from '@seriousme/openapi-schema-validator';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaunchTable } from '../../apps/server/src/core/launchers/launch-table.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { call } from '../support/ask.js';
import { checkAnswers, type Checked, importSmallRun } from '../support/check-answers.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';
import { sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { writeRatedRun } from '../support/rated-run.js';
import { createWriter } from '../support/write-events.js';

type Operation = { security?: object[]; responses: Record<string, object>; parameters: { name: string }[] };

describe('the description of REST', () => {
  let server: TestServer;
  let document: Record<string, unknown>;
  beforeAll(async () => {
    server = await startTestServer({
      // no job here asks for a GPU, so it starts no worker
      launchers: [{ name: 'here', driver: 'local', worker: { kind: 'gpu' } }],
    });
    document = (await call(server.url, undefined, 'GET', '/docs/json')).body;
  }, 60_000);
  afterAll(async () => server.close());

  it('is valid OpenAPI 3.1 for an independent validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect({ valid, errors, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  it('asks for a key everywhere but at the health checks, and says how each operation refuses', () => {
    expect(document['security']).toEqual([{ bearer: [] }]);
    const paths = document['paths'] as Record<string, Record<string, Operation>>;
    for (const [path, methods] of Object.entries(paths))
      for (const { security, responses } of Object.values(methods)) {
        if (path.startsWith('/health/')) expect([path, security]).toEqual([path, []]);
        else
          expect(Object.keys(responses)).toEqual(
            expect.arrayContaining(['400', '401', '403', '404', '409', '429']),
          );
      }
  });

  it('names a ticket where one can be made, and is taken', async () => {
    const paths = document['paths'] as Record<string, { get?: Operation }>;
    const taking = Object.keys(paths).filter((path) =>
      paths[path]?.get?.parameters?.some(({ name }) => name === 'ticket'),
    );
    expect(taking.length).toBeGreaterThan(2);
    const { runId } = await createWriter(server);
    for (const path of taking) {
      const request = {
        purpose: 'download',
        path: path.replace('{id}', runId).replaceAll(/\{\w+\}/g, 'none'),
      };
      const made = await call(server.url, server.adminKey, 'POST', '/api/v1/tickets', request);
      expect([path, made.body.message]).toEqual([path, undefined]);
      const answer = await call(server.url, undefined, 'GET', String(made.body['url']));
      // of a set that is not there it says so: access is checked then
      expect([path, answer.status]).not.toEqual([path, 401]);
    }
  });

  it('names what lists of runs can be asked for', () => {
    const paths = document['paths'] as Record<string, { get: Operation }>;
    const names = paths['/api/v1/runs']?.get.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'project',
        'state',
        'tag',
        'text',
        'parentRunId',
        'createdFrom',
        'createdBefore',
        'orderBy',
        'direction',
        'first',
        'after',
        'last',
        'before',
      ]),
    );
  });

  it('says what each operation answers', () => {
    const paths = document['paths'] as Record<string, Record<string, Operation>>;
    const silent = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        path.startsWith('/api/v1/') &&
        !Object.entries(responses).some(([status, response]) => Number(status) < 300 && 'content' in response)
          ? [`${method} ${path}`]
          : [],
      ),
    );
    expect(silent).toEqual([]);
    const { schemas } = document['components'] as { schemas: Record<string, { properties?: object }> };
    expect(Object.keys(schemas).filter((name) => name.endsWith('Page'))).toEqual([]);
    expect(Object.keys(schemas['Run']?.properties ?? {})).toEqual(
      expect.arrayContaining(['id', 'needs', 'plugins']),
    );
  });

  describe('of a server with runs', () => {
    let checked: Checked;
    beforeAll(() => {
      checked = checkAnswers(server, document);
    });

    it('is what imports and everything about a finished run are answered with', async () => {
      const id = await importSmallRun(checked);
      const run = { id };
      for (const path of [
        '',
        '/logs',
        '/events',
        '/event-list',
        '/event-counts',
        '/metrics',
        '/artifacts',
        '/trajectories',
        '/trajectories-in-flight',
        '/trajectory-counts',
        '/trajectory-sample',
        '/comments',
        '/checkpoints',
        '/evaluations',
        '/twin',
      ])
        await checked.get(`/api/v1/runs/{id}${path}`, run);
      await checked.get('/api/v1/runs/{id}/metrics', run, 'name=a/b');
      await checked.get('/api/v1/metrics', {}, `runId=${id}&name=a/b`);
      await checked.get('/api/v1/runs/compare', {}, `id=${id}&points=10`);
      await checked.get('/api/v1/runs/{id}/artifacts/{path}', { ...run, path: 'spec.json' });
      for (const of of ['trajectories', 'trajectory-tokens', 'trajectory-atif'])
        await checked.get(`/api/v1/runs/{id}/${of}/{path}`, { ...run, path: 'train/7/0/0' });
      await checked.send('post', '/api/v1/environments/play', {}, { environment: { use: 'bandit' } });
      await checked.get('/api/v1/runs/{id}/export/manifest', run);
      await checked.get('/api/v1/runs/{id}/export/{file}', { ...run, file: 'run.json' });
      const { items } = await checked.get('/api/v1/alerts');
      const [alert] = items as [{ id: string }];
      await checked.send('post', '/api/v1/alerts/{id}/acknowledge', { id: alert.id });
      await checked.send('post', '/api/v1/alerts/acknowledge', {}, { alertIds: [alert.id] });
      const { items: keys } = await checked.get('/api/v1/alerts/assignees', {}, 'project=default');
      const { keyId } = (keys as [{ keyId: string }])[0];
      await checked.send('put', '/api/v1/alerts/{id}/assignee', { id: alert.id }, { keyId });
      await checked.get('/api/v1/alerts/record');
      await checked.get('/api/v1/alerts/{id}/examples', { id: alert.id });
      await checked.get('/api/v1/alerts/{id}', { id: alert.id });
      await checked.send('put', '/api/v1/alerts/{id}/verdict', { id: alert.id }, { judgement: 'unclear' });
      await checked.get('/api/v1/alerts/{id}', { id: alert.id });
      await checked.send('post', '/api/v1/runs/{id}/fork/plan', run, {});
      const child = await checked.send('post', '/api/v1/runs/{id}/fork', run, { name: 'child' }, 201);
      await checked.get('/api/v1/runs/compare/test', {}, `id=${id}&against=${String(child['id'])}`);
      const comment = await checked.send('post', '/api/v1/runs/{id}/comments', run, { text: 'a' }, 201);
      await checked.get('/api/v1/runs/{id}/comments', run);
      const written = { ...run, commentId: String(comment['id']) };
      await checked.send('patch', '/api/v1/runs/{id}/comments/{commentId}', written, { text: 'b' });
      await checked.send('delete', '/api/v1/runs/{id}/comments/{commentId}', written);
      await checked.send('post', '/api/v1/runs/{id}/evaluate', run, { episodes: 8 }, 201);
      await checked.get('/api/v1/runs/{id}/evaluations', run);
      await checked.send('post', '/api/v1/runs/{id}/resume', run, undefined, 409);
      await checked.send('post', '/api/v1/runs/{id}/cancel', { id: String(child['id']) });
      await checked.send('delete', '/api/v1/runs/{id}', { id: String(child['id']) });
      const writer = await createWriter(server);
      await writer.write([{ kind: 'log', time: 1, text: 'hello' }], 'log');
      await checked.get('/api/v1/runs/{id}/logs', { id: writer.runId });
    }, 60_000);

    it('is what runs, jobs and workers are answered with', async () => {
      const spec = sproutSpec('', { model: { use: 'seedling' } });
      await checked.send('post', '/api/v1/runs/plan', {}, { spec, estimate: false });
      const run = { id: String((await checked.send('post', '/api/v1/runs', {}, { spec }, 201))['id']) };
      await checked.send('post', '/api/v1/runs', {}, { spec: { ...spec, stesp: 1 } }, 422);
      await checked.send('post', '/api/v1/runs', {}, { source: 1 }, 400);
      const bulk = { action: 'tag', runIds: [run.id, 'run-none'], addTags: ['b'] };
      await checked.send('post', '/api/v1/runs/bulk', {}, bulk);
      const { items } = await checked.get('/api/v1/jobs', {}, `runId=${run.id}`);
      const [job] = items as [{ id: string }];
      for (const verb of ['pause', 'resume']) await checked.send('post', `/api/v1/runs/{id}/${verb}`, run);
      await checked.send('post', '/api/v1/runs/{id}/resume', run, undefined, 409);
      await checked.send('patch', '/api/v1/runs/{id}', run, { note: 'seen', tags: ['a'] });
      await checked.get('/api/v1/runs/{id}/report', run, 'title=Before%20it%20began');
      const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'one' });
      await worker.connect();
      const { items: workers } = await checked.get('/api/v1/workers');
      const known = { id: (workers as [{ id: string }])[0].id };
      await checked.get('/api/v1/workers/{id}', known);
      await checked.get('/api/v1/workers/{id}/device-history', known);
      for (const verb of ['drain', 'undrain'])
        await checked.send('post', `/api/v1/workers/{id}/${verb}`, known);
      await checked.send('delete', '/api/v1/workers/{id}', known, undefined, 409);
      await checked.get('/api/v1/jobs/{id}', { id: job.id });
      const jobs = server.app.get(DataSource).getRepository(Job);
      const training = await jobs.findOneByOrFail({ id: job.id });
      const evaluation: Job = { ...training, id: 'job-evaluation', kind: 'evaluate' };
      await jobs.insert(evaluation as never);
      const path = '/api/v1/runs/{id}/evaluations/{jobId}/cancel';
      await checked.send('post', path, { ...run, jobId: evaluation.id });
      const chat: Job = { ...training, id: 'job-chat', kind: 'chat', state: 'failed', workerId: null };
      await jobs.insert(chat as never);
      const ofChat = { ...run, jobId: chat.id };
      const chats = '/api/v1/runs/{id}/chats';
      await checked.get(`${chats}/{jobId}`, ofChat);
      // no checkpoint is stored, and no model is loaded
      await checked.send('post', chats, run, {}, 409);
      await insertCheckpoint(server.app.get(DataSource), run.id, 1);
      await checked.send('post', chats, run, {}, 201);
      await checked.send('post', `${chats}/{jobId}/reply`, ofChat, { message: 'Hello' }, 409);
      await checked.send('post', `${chats}/{jobId}/end`, ofChat);
      await checked.send('post', '/api/v1/runs/{id}/cancel', run, { now: true });
      await checked.get('/api/v1/runs');
      const launched = server.app.get(LaunchTable);
      const { name } = await launched.add('here', 'default');
      await checked.get('/api/v1/launchers/workers');
      await checked.send('post', '/api/v1/launchers/workers/{name}/stop', { name });
      await checked.send('post', '/api/v1/launchers/workers/{name}/stop', { name: 'none' }, undefined, 404);
      worker.close();
      const idle = new SimulatedWorker(server.url, server.workerKey, { name: 'two', devices: [] });
      const gone = { id: (await idle.connect()).workerId };
      idle.close();
      while ((await checked.get('/api/v1/workers/{id}', gone))['online'] === true)
        await new Promise((resolve) => setTimeout(resolve, 50));
      await checked.send('delete', '/api/v1/workers/{id}', gone);
    }, 60_000);

    it('is what keys, plugins and the audit log are answered with', async () => {
      const made = await checked.send('post', '/api/v1/keys', {}, { name: 'k', role: 'viewer' }, 201);
      const { id } = made['key'] as { id: string };
      const next = await checked.send('post', '/api/v1/keys/{id}/rotate', { id }, undefined, 201);
      await checked.send('delete', '/api/v1/keys/{id}', { id: (next['key'] as { id: string }).id });
      await checked.send('post', '/api/v1/tickets', {}, { purpose: 'stream' }, 201);
      for (const path of [
        'me',
        'projects',
        'keys',
        'audit',
        'audit/check',
        'plugins',
        'recipes',
        'run-groups',
        'trajectories',
        'run-spec-schema',
        'alerts/counts',
        'jobs/queue',
        'launchers',
      ])
        await checked.get(`/api/v1/${path}`);
      for (const path of ['live', 'ready']) await checked.get(`/health/${path}`);
    }, 60_000);

    it('is what refusals are answered with', async () => {
      const nobody = { id: 'run-none' };
      await checked.get('/api/v1/runs/{id}', nobody, '', 404);
      await checked.get('/api/v1/runs', {}, 'first=9999', 400);
      await checked.get('/api/v1/runs/{id}/artifacts', nobody, '', 401, 'wrong');
      const viewer = await server.createKey({ name: 'v', role: 'viewer' });
      await checked.send('post', '/api/v1/runs', {}, {}, 403, viewer);
    });

    it('is what rating sets are answered with', async () => {
      const { runId } = await writeRatedRun(server);
      await checked.get('/api/v1/rubrics');
      const request = {
        kind: 'rubric',
        rubric: 'collapse',
        sources: [{ runId, split: 'validation' }],
        size: 1,
      };
      const made = await checked.send('post', '/api/v1/rating-sets', {}, request, 201);
      const set = { id: String(made['id']) };
      const item = { ...set, position: '0' };
      await checked.get('/api/v1/rating-sets');
      await checked.get('/api/v1/rating-sets/{id}/items/{position}', item);
      const scores = { repetitive: 0, template: 1, readable: 5 };
      const given = Object.entries(scores).map(([criterion, value]) => ({ criterion, value }));
      for (const method of ['put', 'delete', 'put'] as const)
        await checked.send(
          method,
          '/api/v1/rating-sets/{id}/items/{position}/rating',
          item,
          method === 'put' ? { scores: given } : undefined,
        );
      await checked.get('/api/v1/rating-sets/{id}/task', set);
      for (const verb of ['finish', 'close'])
        await checked.send('post', `/api/v1/rating-sets/{id}/${verb}`, set);
      for (const part of ['', '/progress', '/results', '/export'])
        await checked.get(`/api/v1/rating-sets/{id}${part}`, set);
      await checked.send('delete', '/api/v1/rating-sets/{id}', set);
    });

    it('was held against every operation that reads, and against all others but three', () => {
      const paths = document['paths'] as Record<string, Record<string, Operation>>;
      const all = Object.entries(paths).flatMap(([path, methods]) =>
        path === '/metrics' ? [] : Object.keys(methods).map((method) => `${method} ${path}`),
      );
      const left = all.filter((operation) => !checked.done.has(operation));
      // the others need a model that is loaded, or a trajectory that was really played: turning-point.spec.ts has both
      expect(left).toEqual([
        'post /api/v1/runs/{id}/chats/{jobId}/reply',
        'post /api/v1/plugins/reload',
        'post /api/v1/runs/{id}/play',
      ]);
    });
  });
});
