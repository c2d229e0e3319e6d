import { io } from 'socket.io-client';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const cursorOf = (key: string): string => Buffer.from(key).toString('base64url');
const cursors = [
  '[1e999]',
  '[1.5]',
  '[-1e300]',
  '["a\\u0000b"]',
  '["\\ud800"]',
  '[9007199254740993]',
  '[1e999,"a"]',
  '[1.5,"a"]',
  '[9e15,"a"]',
  '[1,"a\\u0000"]',
  '[1e999,1]',
  '[1,1.5]',
  '[null]',
  '[{}]',
  '[[1]]',
  '{}',
  'null',
  '',
];

describeOnEach('what no request may hold', (current) => {
  const admin = async (method: string, path: string, body?: unknown) => {
    const { status, body: said } = await call(
      current().url,
      current().adminKey,
      method,
      `/api/v1${path}`,
      body,
    );
    return { status, code: String(said['code']) };
  };
  const query = async (text: string, variables: Record<string, unknown> = {}) => {
    const { body } = await ask(current().url, current().adminKey, text, variables);
    return body.errors?.map(({ extensions }) => String(extensions['code'])) ?? [];
  };

  it.each(cursors)('a cursor %s is refused by every list', async (key) => {
    const { runId } = await createWriter(current());
    const after = cursorOf(key);
    const lists = ['/runs', '/jobs', '/alerts', '/workers', '/keys', '/audit'];
    const ofRun = ['artifacts', 'logs', 'trajectories'];
    for (const path of [...lists, ...ofRun.map((name) => `/runs/${runId}/${name}`)]) {
      const { status, code } = await admin('GET', `${path}?after=${after}`);
      // a key of another list may be one of this, too
      if (status !== 200) expect([path, status, code]).toEqual([path, 400, 'server.invalid_cursor']);
    }
    const fields = ['runs', 'jobs', 'alerts', 'workers', 'keys', 'auditLog', `runLogs`, `trajectories`];
    for (const field of fields) {
      const run = field === 'runLogs' ? `runId: "${runId}", ` : '';
      const codes = await query(`{ ${field}(${run}after: "${after}") { pageInfo { hasNextPage } } }`);
      expect([field, codes.filter((code) => code !== 'server.invalid_cursor')]).toEqual([field, []]);
    }
  });

  it.each(['bad', 'a b', 'ä', '%00', '%ED%A0%80', 'x'.repeat(3000)])(
    'a cursor %j that is not encoded as one is refused',
    async (after) => {
      for (const path of ['/runs', '/jobs', '/alerts', '/workers', '/keys', '/audit'])
        expect((await admin('GET', `${path}?after=${after}`)).status).toBe(400);
    },
  );

  it.each([
    ['GET', '/runs?text=a%00'],
    ['GET', '/runs?project=a%00'],
    ['GET', '/runs?tag=a%00'],
    ['GET', '/runs?parentRunId=%00'],
    ['GET', '/runs/a%00b'],
    ['GET', '/runs/a%00b/logs'],
    ['GET', '/runs/a%00b/export/manifest'],
    ['GET', '/runs/a%00b/artifacts/x'],
    ['GET', '/runs/compare?id=a%00'],
    ['GET', '/jobs?runId=a%00'],
    ['GET', '/jobs?project=a%00'],
    ['GET', '/jobs/a%00'],
    ['GET', '/alerts?runId=a%00'],
    ['GET', '/alerts?project=a%00'],
    ['GET', '/alerts?since=99999999999999999999'],
    ['GET', '/alerts?since=1e300'],
    ['GET', '/metrics?runId=a%00&name=b'],
    ['GET', '/metrics?runId=a&name=b%00'],
    ['GET', '/workers/a%00'],
    ['POST', '/alerts/a%00/acknowledge'],
    ['DELETE', '/keys/a%00'],
    ['POST', '/runs/a%00/evaluations/a%00/cancel'],
    ['POST', '/runs/a%00/pause'],
    ['POST', '/workers/a%00/drain'],
  ])('%s %s is a mistake of the client', async (method, path) => {
    const { status, code } = await admin(method, path);
    expect([status, code]).toEqual([400, expect.not.stringContaining('internal')]);
  });

  it.each([
    'trajectories?group=99999999999',
    'trajectories?fromStep=1e10',
    'trajectories?fromStep=99999999999',
    'trajectories?toStep=-99999999999',
    'trajectories?minReward=1e999',
    'trajectories?text=%00',
    'trajectories?environment=%00',
    'trajectories/a%00',
    'trajectory-counts?group=99999999999',
    'metrics?name=a&fromStep=99999999999',
    'metrics?name=a&toStep=1e300',
    'metrics?name=a%00',
    'events?after=99999999999999999999',
    'events?after=1.5',
    'artifacts?path=%00',
    'export/manifest?until=1e300',
    'export/manifest?until=1.5',
    'export/metrics.csv?until=9007199254740993',
  ])('GET /runs/:id/%s is a mistake of the client', async (path) => {
    const { runId } = await createWriter(current());
    const { status, code } = await admin('GET', `/runs/${runId}/${path}`);
    expect([status, code]).toEqual([400, expect.not.stringContaining('internal')]);
  });

  it.each([
    '{ run(id: "a\\u0000b") { id } }',
    '{ job(id: "a\\u0000b") { id } }',
    '{ worker(id: "a\\u0000b") { id } }',
    '{ runs(filter: { text: "a\\u0000b" }) { nodes { id } } }',
    '{ runs(filter: { tag: "\\u0000" }) { nodes { id } } }',
    '{ runs(filter: { project: "\\ud800" }) { nodes { id } } }',
    '{ runs(filter: { createdFrom: "+275760-09-13T00:00:00Z" }) { nodes { id } } }',
    '{ runs { nodes { artifacts(prefix: "\\u0000") { nodes { path } } } } }',
    '{ jobs(filter: { runId: "\\u0000" }) { nodes { id } } }',
    '{ alerts(filter: { project: "\\u0000" }) { nodes { id } } }',
    '{ alerts(filter: { since: "-271821-04-20T00:00:00Z" }) { nodes { id } } }',
    '{ compareRuns(ids: ["\\u0000"]) { runs { id } } }',
    '{ metricHistory(runIds: ["\\u0000"], names: ["a"]) { name } }',
    '{ metricNames(runId: "\\u0000") { name } }',
    'mutation { revokeKey(input: { keyId: "\\u0000" }) { __typename } }',
    'mutation { pauseRun(input: { runId: "\\u0000" }) { __typename } }',
    'mutation { acknowledgeAlert(input: { alertId: "\\u0000" }) { __typename } }',
    'mutation { drainWorker(input: { workerId: "\\u0000" }) { __typename } }',
  ])('the operation %s is a mistake of the client', async (text) => {
    const codes = await query(text);
    expect(codes).toHaveLength(1);
    expect(codes).not.toContain('server.internal');
  });

  it('is refused in variables as well, at any depth', async () => {
    const codes = await query('query ($f: RunFilter) { runs(filter: $f) { nodes { id } } }', {
      f: { text: 'a\0' },
    });
    expect(codes).toEqual(['server.invalid_input']);
    const made = 'mutation ($i: CreateRunInput!) { createRun(input: $i) { __typename } }';
    const spec = { name: 'x', deep: [{ a: ['\0'] }] };
    expect(await query(made, { i: { spec } })).toEqual(['server.invalid_input']);
  });

  it('90,000 states in a filter are too many, not a failure', async () => {
    const states = Array<string>(90_000).fill('FAILED');
    const text = 'query ($s: [JobState!]) { FIELD(filter: { states: $s }) { nodes { id } } }';
    for (const field of ['runs', 'jobs'])
      expect(await query(text.replace('FIELD', field), { s: states })).toEqual(['server.invalid_input']);
    const many = await admin(
      'GET',
      `/runs?${states
        .slice(0, 900)
        .map((state) => `state=${state.toLowerCase()}`)
        .join('&')}`,
    );
    expect([many.status, many.code]).toEqual([400, 'server.invalid_input']);
  });

  const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
  it.each([
    [{ name: 'two\nlines' }],
    [{ name: 'bell\u0007' }],
    [{ name: 'escape\u001b[2J' }],
    [{ name: 'nul\0' }],
    [{ name: 'half\ud800' }],
    [{ tags: ['a\tb'] }],
    [{ tags: ['\0'] }],
    [{ note: 'bell\u0007' }],
    [{ note: '\0' }],
    [{ source: `${source}# \0` }],
    [{ overrides: ['steps=\0'] }],
    [{ needs: { labels: ['a\0'] } }],
    [{ needs: { memoryMb: 1e15 } }],
    [{ source: `name: "two\\nlines"\n${source}` }],
    [{ source: `name: "nul\\0"\n${source}` }],
  ])('a run is not made of %j', async (given) => {
    const { status } = await admin('POST', '/runs', { source, ...given });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('a note keeps its lines', async () => {
    const { runId } = await createWriter(current());
    expect((await admin('PATCH', `/runs/${runId}`, { note: 'one\n\ttwo\r\n' })).status).toBe(200);
  });

  it.each([{ name: 'a\0' }, { name: 'a\nb' }, { projects: ['a\0'] }, { maxRunning: 1e300 }])(
    'a key is not made of %j',
    async (given) => {
      const { status } = await admin('POST', '/keys', { name: 'k', role: 'viewer', ...given });
      expect([400, 422]).toContain(status);
    },
  );

  const spec = {
    name: 'imported',
    steps: 3,
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    model: { use: 'seedling' },
  };
  it.each([
    [{ startedAt: 1e300 }],
    [{ startedAt: 9e15 }],
    [{ startedAt: -1 }],
    [{ host: 'a\0' }],
    [{ gitRevision: '\0' }],
    [{ versions: { 'a\0': 'b' } }],
    [{ spec: { ...spec, name: 'a\nb' } }],
    [{ spec: { ...spec, steps: 1e12 } }],
    [{ spec: { ...spec, environment: { use: 'a\0' } } }],
    [{ hardware: [{ id: 'c', kind: 'cpu', name: 'a\0', threads: 1, memoryMb: 1 }] }],
    [{ hardware: [{ id: 'c', kind: 'cpu', name: 'a', threads: 1e12, memoryMb: 1 }] }],
  ])('a run is not imported with %j', async (given) => {
    const { status } = await admin('POST', '/runs/import', { spec, ...given });
    expect(status).toBe(400);
    expect((await admin('GET', '/runs')).status).toBe(200);
  });

  it.each([
    [{ kind: 'metrics', time: 1, step: 0, values: { 'a\0': 1 } }],
    [{ kind: 'metrics', time: 9e15, step: 0, values: { a: 1 } }],
    [{ kind: 'metrics', time: 1, step: 1e12, values: { a: 1 } }],
    [{ kind: 'warning', time: 9e15, step: 0, code: 'a.b', message: 'c' }],
    [{ kind: 'warning', time: 1, step: 0, code: 'a\0', message: 'c' }],
    [{ kind: 'run-started', time: 1, step: 0, steps: 1e12, attempt: 1 }],
    [{ kind: 'checkpoint', time: 1, step: 0, folder: 'a\0' }],
  ])('an event %j is not taken', async (event) => {
    const { body } = await call(current().url, current().adminKey, 'POST', '/api/v1/runs/import', {
      spec,
      startedAt: 1.5,
    });
    const events = [{ sequence: 1, event }];
    const { status } = await admin('POST', `/runs/${String(body['runId'])}/import/events`, {
      attempt: 1,
      events,
    });
    expect(status).toBe(400);
  });

  it('what a program printed is cleaned, and its stream goes on', async () => {
    const { body } = await call(current().url, current().adminKey, 'POST', '/api/v1/runs/import', { spec });
    const runId = String(body['runId']);
    const events = [
      {
        sequence: 1,
        event: { kind: 'warning', time: 1.5, step: 0, code: 'a.b', message: 'nul\0 bell\u0007\n' },
      },
      {
        sequence: 2,
        event: { kind: 'run-ended', time: 2, step: 0, outcome: 'failed', message: 'half\ud800' },
      },
    ];
    expect((await admin('POST', `/runs/${runId}/import/events`, { attempt: 1, events })).status).toBe(200);
    const [alert] = await current().app.get(DataSource).getRepository(Alert).findBy({ runId });
    expect(alert).toMatchObject({ message: 'nul\u{fffd} bell\u{fffd}\n', time: 2 });
  });

  it('a stored moment out of range breaks no list', async () => {
    const { runId } = await createWriter(current());
    const wrong = { startedAt: 8.64e15 + 1 };
    await current().app.get(DataSource).getRepository(Run).update({ id: runId }, wrong);
    expect((await admin('GET', '/runs')).status).toBe(200);
    expect((await admin('GET', `/runs/${runId}/export/run.json`)).status).toBe(200);
    expect(await query('{ runs { nodes { startedAt } } }')).toEqual([]);
    await current().app.get(DataSource).getRepository(Run).update({ id: runId }, { startedAt: null });
  });

  it.each([
    ['follow', { runId: 'a\0' }],
    ['follow', { runId: 'a', after: 1e300 }],
    ['follow', { runId: 'a', after: 1.5 }],
    ['follow', { runId: 'a', metrics: ['\0'] }],
    ['follow', { runId: 'a', metrics: Array<string>(201).fill('a') }],
    ['unfollow', { runId: ['a'] }],
    ['unfollow', null],
  ])('the message %s %j is refused', async (event, body) => {
    const socket = io(`${current().url}/stream`, {
      auth: { key: current().adminKey },
      transports: ['websocket'],
      forceNew: true,
    });
    const answer = (await socket.timeout(5000).emitWithAck(event, body)) as { code: string; message: string };
    socket.disconnect();
    expect(answer).toMatchObject({ ok: false, code: 'server.invalid_input' });
  });

  it('a row of metrics is packed and read whatever its names are', async () => {
    const writer = await createWriter(current());
    const rows = Array.from({ length: 300 }, (_, step) =>
      metricsEvent(step, { 'reward/mean': step, 'ä [%]': 1 }),
    );
    await writer.write(rows);
    const { status } = await admin(
      'GET',
      `/runs/${writer.runId}/metrics?name=${encodeURIComponent('ä [%]')}`,
    );
    expect(status).toBe(200);
  });
});
