import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { HealthService } from '../../apps/server/src/api/observability/health.service.js';
import { createLog } from '../../apps/server/src/logging/pino-logger.js';
import { createJob } from '../support/create-job.js';
import { ask, call } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

describe('what the server tells of itself', () => {
  let server: TestServer;
  const lines: string[] = [];
  beforeAll(async () => {
    server = await startTestServer({ logLevel: 'trace' });
    server.app.useLogger(createLog(server.options, { write: (line: string) => void lines.push(line) }));
  });
  afterAll(() => server.close());

  it('is alive, and ready when all it depends on is', async () => {
    expect((await call(server.url, undefined, 'GET', '/health/live')).body).toEqual({ status: 'ok' });
    const { status, body } = await call(server.url, undefined, 'GET', '/health/ready');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ready',
      checks: { database: 'ok', disk: 'ok', artifacts: 'ok' },
    });
  });

  it('is not ready when a check fails or does not end, and says no more than its name', async () => {
    const health = server.app.get(HealthService);
    health.add('broken', () => Promise.reject(new Error('canary at /secret/folder')));
    health.add('endless', () => new Promise(() => undefined));
    const { status, body } = await call(server.url, undefined, 'GET', '/health/ready');
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: 'not-ready',
      checks: { database: 'ok', broken: 'failed', endless: 'failed' },
    });
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(lines.join('')).toContain('canary');
    health.add('broken', () => Promise.resolve());
    health.add('endless', () => Promise.resolve());
  });

  it('has figures for whoever has a key', async () => {
    expect((await call(server.url, undefined, 'GET', '/metrics')).status).toBe(401);
    await createJob(server);
    const { status, headers, body } = await call(server.url, server.adminKey, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    const text = String(body['text']);
    expect(text).toMatch(/espalier_jobs\{state="queued"\} 1/);
    for (const name of [
      'http_seconds_count',
      'sockets',
      'graphql_operations',
      'events_total',
      'points_total',
    ])
      expect(text).toContain(`espalier_${name}`);
    for (const name of [
      'attempts_assigned',
      'attempts_expired',
      'attempts_returned',
      'worker_messages_fenced',
      'device_conflicts',
    ]) {
      expect(text).toMatch(new RegExp(`^# HELP espalier_${name}_total [A-Z].*\\.$`, 'm'));
      expect(text).toMatch(new RegExp(`^# TYPE espalier_${name}_total counter$`, 'm'));
      expect(text).toMatch(new RegExp(`^espalier_${name}_total \\d+$`, 'm'));
    }
    const own = [...text.matchAll(/^# TYPE (espalier_\S+) (\S+)$/gm)];
    const page = readFileSync('docs/use/server.md', 'utf8');
    for (const [, name = '', type] of own) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(page).toContain(`\`${name}\``);
    }
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'])
      expect(text).toContain(name);
  });

  it('writes one line per request, with its id and who asked', async () => {
    lines.length = 0;
    await call(server.url, server.adminKey, 'GET', '/api/v1/keys?first=3', undefined, {
      'x-request-id': 'line-1',
    });
    await vi.waitFor(() => expect(lines.join('')).toContain('line-1'));
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ requestId }) => requestId === 'line-1');
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/keys',
      status: 200,
      caller: 'admin',
      level: 'info',
    });
  });

  it('never writes a key', async () => {
    const canary = 'esp_canary-0123456789-abcdefghijklmnopqrstuvwxyz';
    const chosen = 'chosen-key-0123456789-0123456789-0123';
    lines.length = 0;
    await call(server.url, canary, 'GET', '/api/v1/keys');
    await call(server.url, server.adminKey, 'GET', `/api/v1/keys?key=${canary}`);
    await call(server.url, server.adminKey, 'POST', '/api/v1/keys', {
      name: canary,
      role: 'viewer',
      secret: canary,
    });
    await ask(server.url, canary, `{ run(id: "${canary}") { id } }`);
    await ask(
      server.url,
      server.adminKey,
      `mutation { revokeKey(input: { keyId: "${canary}" }) { __typename } }`,
    );
    const log = createLog(
      { ...server.options, access: { ...server.options.access, adminKey: chosen } },
      { write: (line: string) => void lines.push(line) },
    );
    log.error(new Error(`failed with ${chosen}`), `stack ${chosen}`);
    log.log({ authorization: `Bearer ${chosen}`, nested: { key: chosen } });
    log.warn('connect to postgres://user:hunter2@host/name');
    expect(lines.length).toBeGreaterThan(6);
    const text = lines.join('');
    for (const secret of [canary, chosen, 'hunter2', server.adminKey]) expect(text).not.toContain(secret);
  });
});

describe('figures', () => {
  it('are open to everybody by a setting', async () => {
    const open = await startTestServer({ http: { publicMetrics: true } });
    expect((await call(open.url, undefined, 'GET', '/metrics')).status).toBe(200);
    await open.close();
  });
});
