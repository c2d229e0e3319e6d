import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashPackage } from '@espalier/plugin-host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PluginCatalogue } from '../../apps/server/src/core/plugins/plugin-catalogue.service.js';
import { createPluginWorkspace, type PluginWorkspace } from '../support/plugin-workspace.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let workspace: PluginWorkspace;
let server: TestServer;

beforeAll(async () => {
  workspace = createPluginWorkspace();
  workspace.writeCoin('1.0.0', 'sides: z.int().default(2).describe("faces")');
  server = await startTestServer({ root: workspace.folder, plugins: { callSeconds: 5 }, leaseSeconds: 3600 });
}, 60_000);
afterAll(async () => {
  await server.close();
  workspace.remove();
});

interface Plugin {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly health: string;
  readonly message: string;
  readonly sha256: string;
  readonly schema: {
    readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  } | null;
}

async function call(method: string, path: string, body?: unknown, key = server.adminKey) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${server.url}/api/v1/${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function coin(): Promise<Plugin | undefined> {
  const { body } = await call('GET', 'plugins');
  return (body['items'] as Plugin[]).find(({ id }) => id === 'coin');
}

const source = 'environment: { use: coin }\nalgorithm: { use: grpo }\nsteps: 2\n';
const plan = (more = '') => call('POST', 'runs/plan', { source: `${source}${more}`, estimate: false });
const pidOf = async (): Promise<number> => {
  const { current } = server.app.get(PluginCatalogue) as unknown as { current: Promise<{ pid: number }> };
  return (await current).pid;
};

describe('the plugin catalogue', () => {
  it('lists what is installed with its schema and the hash of its files, and what is broken with the reason', async () => {
    const { body } = await call('GET', 'plugins');
    const items = body['items'] as Plugin[];
    expect(await coin()).toMatchObject({
      kind: 'environment',
      version: '1.0.0',
      health: 'ok',
      message: '',
      sha256: hashPackage(join(workspace.folder, 'plugins/environments/coin')),
      schema: { properties: { sides: { description: 'faces' } } },
    });
    const crooked = items.find(({ health }) => health === 'broken');
    expect(crooked).toMatchObject({ schema: null, message: expect.stringContaining('bent') as string });
    expect(items.filter(({ kind }) => kind === 'algorithm').length).toBeGreaterThan(1);
    expect((await plan()).status).toBe(200);
  });

  it('sees a changed plugin after a reload, while a job keeps the version it began with', async () => {
    const before = await coin();
    const run = await call('POST', 'runs', { source });
    const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w' });
    try {
      await worker.connect();
      const assignment = await worker.assigned(1);
      const used = [
        { kind: 'environment' as const, id: 'coin', version: '1.0.0', sha256: before?.sha256 ?? '' },
      ];
      await worker.say(assignment, {
        kind: 'process-started',
        time: Date.now(),
        pid: 1,
        host: 'h',
        devices: [],
        versions: {},
        plugins: used,
        gitRevision: null,
      });
      workspace.writeCoin('2.0.0', 'edges: z.int().default(1).describe("rims")');
      expect(await coin()).toEqual(before);
      const operator = await server.createKey({ name: 'o', role: 'operator' });
      expect(await call('POST', 'plugins/reload', undefined, operator)).toMatchObject({ status: 403 });
      expect(await call('POST', 'plugins/reload')).toMatchObject({ status: 200 });
      const after = await coin();
      expect(after).toMatchObject({ version: '2.0.0', schema: { properties: { edges: {} } } });
      expect(after?.sha256).not.toBe(before?.sha256);
      const { body } = await call('GET', `runs/${String(run.body['id'])}`);
      expect(body).toMatchObject({ state: 'running', spec: { environment: { sides: 2 } } });
      expect(body['plugins']).toEqual(expect.arrayContaining(used)); // those it was made with, not 2.0.0
      const fresh = await call('POST', 'runs', { source });
      expect(fresh.body).toMatchObject({
        spec: { environment: { use: 'coin', edges: 1 } },
        plugins: expect.arrayContaining([
          { ...used[0], version: '2.0.0', sha256: after?.sha256 },
        ]) as object[],
      });
    } finally {
      worker.close();
    }
  });

  it('keeps what it had when plugins cannot be loaded anew', async () => {
    const list = join(workspace.folder, 'config/plugins.yaml');
    writeFileSync(list, 'packages: "not a list"\n');
    const failed = await call('POST', 'plugins/reload');
    expect(failed).toMatchObject({ status: 422, body: { code: 'plugin.unreadable' } });
    expect(await coin()).toMatchObject({ version: '2.0.0' });
    writeFileSync(list, 'packages: []\n');
  });

  it('comes back when its process is killed', async () => {
    const pid = await pidOf();
    process.kill(pid, 'SIGKILL');
    for (let tries = 0; tries < 100 && (await pidOf()) === pid; tries++) {
      await call('GET', 'plugins');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await pidOf()).not.toBe(pid);
    expect(await coin()).toMatchObject({ version: '2.0.0' });
  });

  it('ends a plugin that never answers, says so, and goes on for others', async () => {
    workspace.writeCoin(
      '3.0.0',
      'spin: z.boolean().default(false), crash: z.boolean().default(false)',
      '({ spin, crash }) => { while (spin); if (crash) process.kill(process.pid, "SIGKILL"); return { maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 }; }',
    );
    await call('POST', 'plugins/reload');
    const spinning = plan('').then(() =>
      call('POST', 'runs/plan', { source, estimate: false, overrides: ['environment.spin=true'] }),
    );
    expect(await spinning).toMatchObject({ status: 503, body: { code: 'plugin.catalogue_unavailable' } });
    expect((await call('GET', '../../health/live')).status).toBe(200);
    expect((await plan()).status).toBe(200);
  }, 30_000);

  it.each(['crash', 'spin'])(
    'answers everybody but whoever let its process end: %s',
    async (how) => {
      const guilty = call('POST', 'runs/plan', {
        source,
        estimate: false,
        overrides: [`environment.${how}=true`],
      });
      const others = Array.from({ length: 4 }, () => plan());
      expect(await guilty).toMatchObject({ status: 503, body: { code: 'plugin.catalogue_unavailable' } });
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    },
    30_000,
  );

  it.each([
    ['keys', '? '.repeat(30_000)],
    ['items', '- '.repeat(30_000)],
    ['mappings', '{a: '.repeat(15_000)],
    ['keys at the edge of the stack', '? '.repeat(1500)],
  ])('refuses YAML without end, and its process goes on: %s', async (_, text) => {
    await plan();
    const pid = await pidOf();
    // V8 compiles an expression when it is first used, and again when it is used more often; it aborts without a stack
    for (let tries = 0; tries < 3; tries++) {
      const told = await call('POST', 'runs/plan', { source: text, estimate: false });
      expect(told).toMatchObject({ status: 422, body: { code: 'config.unreadable' } });
    }
    expect(await pidOf()).toBe(pid);
  });

  it('lets a run go on with other plugins than it was made with only when it is told to', async () => {
    const { body: run } = await call('POST', 'runs', { source });
    const id = String(run['id']);
    const steer = (verb: string, body: object = {}) => call('POST', `runs/${id}/${verb}`, body);
    await steer('pause');
    expect(await steer('resume')).toMatchObject({ status: 200, body: { state: 'queued' } });
    await steer('pause');
    // changed on disk, not loaded anew: a training process would load it all the same
    workspace.writeCoin('3.1.0', 'spin: z.boolean().default(false)');
    const refused = await steer('resume');
    expect(refused).toMatchObject({ status: 409, body: { code: 'plugin.changed' } });
    expect(refused.body['message']).toMatch(/environment coin was 3\.0\.0 \(.*--accept-plugins/);
    const query = `mutation { resumeRun(input: { runId: "${id}" }) { __typename ... on Refusal { code } } }`;
    expect((await call('POST', '../../graphql', { query })).body).toMatchObject({
      data: { resumeRun: { __typename: 'NotPossible', code: 'plugin.changed' } },
    });
    expect((await call('GET', `runs/${id}`)).body).toMatchObject({ state: 'paused' });
    const accepted = await steer('resume', { acceptPlugins: true });
    const sha256 = hashPackage(join(workspace.folder, 'plugins/environments/coin'));
    expect(accepted).toMatchObject({
      status: 200,
      body: {
        state: 'queued',
        plugins: expect.arrayContaining([expect.objectContaining({ id: 'coin', sha256 })]) as object[],
      },
    });
    await steer('pause');
    expect((await steer('resume')).status).toBe(200);
  });

  it('ends with the server while a plugin still loads, and does not wait for it', async () => {
    const slow = createPluginWorkspace();
    slow.writeCoin('1.0.0', '');
    const program = join(slow.folder, 'plugins/environments/coin/index.js');
    writeFileSync(program, 'await new Promise((done) => setTimeout(done, 300_000));');
    const other = await startTestServer({ root: slow.folder, plugins: { callSeconds: 600 } });
    const listed = expect(other.app.get(PluginCatalogue).list()).rejects.toMatchObject({
      code: 'plugin.catalogue_unavailable',
    });
    await other.close();
    await listed;
    slow.remove();
  });
});
