import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuditEntry } from '../../apps/server/src/core/database/entities/audit-entry.js';
import { AuditService } from '../../apps/server/src/core/access/audit.service.js';
import { ask, call } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

interface Entry {
  readonly id: number;
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly keyName: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

describe('the audit log', () => {
  let server: TestServer;
  const entries = async () =>
    (await call(server.url, server.adminKey, 'GET', '/api/v1/audit?first=500')).body['items'] as Entry[];
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('has every change, however it was asked for, with what became of it', async () => {
    const create =
      'mutation { createKey(input: { name: "n", role: VIEWER }) { ... on CreatedKey { secret } } }';
    const { body } = await ask(server.url, server.adminKey, create);
    const { secret } = body.data?.['createKey'] as { secret: string };
    await ask(
      server.url,
      server.adminKey,
      'mutation { createKey(input: { name: "", role: VIEWER }) { __typename } }',
    );
    await ask(
      server.url,
      server.adminKey,
      'mutation { revokeKey(input: { keyId: "nothing" }) { __typename } }',
    );
    await call(server.url, server.adminKey, 'DELETE', '/api/v1/keys/nothing');
    const found = (await entries()).map(({ action, subject, outcome }) => [action, subject, outcome]);
    expect(found).toEqual([
      ['DELETE /api/v1/keys/:id', 'nothing', 'server.not_found'],
      ['revokeKey', 'nothing', 'server.not_found'],
      ['createKey', '', 'server.invalid_input'],
      ['createKey', 'n', 'done'],
    ]);
    expect(JSON.stringify(await entries())).not.toContain(secret);
  });

  it('has no entry of a plan, as planning changes nothing, be it refused or not', async () => {
    const before = (await entries()).length;
    const plan = async (source: string) => {
      const query = 'mutation ($source: String!) { planRun(input: { source: $source }) { __typename } }';
      const { body } = await ask(server.url, server.adminKey, query, { source });
      const { status } = await call(server.url, server.adminKey, 'POST', '/api/v1/runs/plan', { source });
      return [(body.data?.['planRun'] as { __typename: string }).__typename, status];
    };
    const spec = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nmodel: { use: seedling }\nsteps: 1';
    expect(await plan(spec)).toEqual(['RunPlan', 200]);
    expect(await plan('steps: none')).toEqual(['InvalidInput', 422]);
    expect(await entries()).toHaveLength(before);
  });

  it('keeps fifty arguments of a request with thousands', async () => {
    const body = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, i]));
    const { status } = await call(server.url, server.adminKey, 'POST', '/api/v1/alerts/acknowledge', body);
    const [latest] = await entries();
    expect([status, latest?.action, Object.keys(latest?.detail ?? {}).length]).toEqual([
      400,
      'POST /api/v1/alerts/acknowledge',
      50,
    ]);
  });

  it('has refusals by role', async () => {
    const viewer = await server.createKey({ name: 'a viewer', role: 'viewer' });
    await call(server.url, viewer, 'GET', '/api/v1/keys');
    // the refusal does not wait for its entry
    await vi.waitFor(
      async () =>
        expect((await entries())[0]).toMatchObject({
          keyName: 'a viewer',
          action: 'KeyController.list',
          outcome: 'access.denied',
        }),
      { timeout: 5000 },
    );
  });

  it('is read page by page, by admins', async () => {
    const first = await call(server.url, server.adminKey, 'GET', '/api/v1/audit?first=2');
    const { endCursor } = first.body['pageInfo'] as { endCursor: string };
    const query = `{ auditLog(first: 500, after: "${endCursor}") { nodes { id hash } } auditCheck { entries brokenAt } }`;
    const { body } = await ask(server.url, server.adminKey, query);
    const { nodes } = body.data?.['auditLog'] as { nodes: { id: number }[] };
    expect(nodes.length + 2).toBe((await entries()).length);
    expect(body.data?.['auditCheck']).toEqual({ entries: nodes.length + 2, brokenAt: null });
  });

  it('shows a changed and a removed entry', async () => {
    const audit = server.app.get(AuditService);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => audit.record(null, 'test', `${i}`, 'done', { i })),
    );
    const rows = server.app.get(DataSource).getRepository(AuditEntry);
    expect(await audit.verify()).toMatchObject({ brokenAt: null });
    const [victim] = await rows.find({ where: { subject: '20', action: 'test' } });
    await rows.update({ id: victim?.id ?? 0 }, { outcome: 'access.denied' });
    expect((await audit.verify()).brokenAt).toBe(victim?.id);
    await rows.update({ id: victim?.id ?? 0 }, { outcome: 'done' });
    expect((await audit.verify()).brokenAt).toBeNull();
    await rows.delete({ id: victim?.id ?? 0 });
    expect((await audit.verify()).brokenAt).toBe((victim?.id ?? 0) + 1);
  });
});
