import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-launchers-'));
const environment = {
  ESPALIER__WORKER__MINFREEMB: '0',
  ESPALIER__WORKER__MODELROOTS: JSON.stringify([root]),
};
const base = { driver: 'local', pollSeconds: 0.2, connectSeconds: 60, backoffSeconds: 30 };
let server: TestServer;
let client: Client;
let model: string;

beforeAll(async () => {
  model = await makeSprout(root);
  server = await startTestServer({
    minFreeMb: 0,
    modelRoots: [root],
    // longer than any test: a launcher says sooner that a worker is over
    leaseSeconds: 600,
    heartbeatSeconds: 0.5,
    retrySeconds: 0,
    launchers: [
      { ...base, name: 'here', maximum: 2, perProject: 1, idleSeconds: 1, worker: { environment } },
      {
        ...base,
        name: 'broken',
        worker: { kind: 'gpu', command: ['sh', '-c', 'echo "no GPU." >&2; exit 7'] },
      },
    ],
  });
  client = createClient({ url: server.url, key: server.adminKey });
}, 60_000);
afterAll(async () => {
  await client.dispose();
  await server.close();
  removeFolder(root);
});

const launched = async () => (await client.launchers.workers({ launcher: 'here', ended: true })).items;
const stateOf = async (id: string): Promise<string> => (await client.runs.get(id)).state;
const whyWaiting = async (id: string): Promise<string> => {
  const query = { headers: { authorization: `Bearer ${server.adminKey}` } };
  const list = await fetch(`${server.url}/api/v1/jobs?runId=${id}`, query);
  const { items } = (await list.json()) as { items: { id: string }[] };
  const answer = await fetch(`${server.url}/api/v1/jobs/${items[0]?.id ?? ''}`, query);
  return ((await answer.json()) as { whyWaiting: string | null }).whyWaiting ?? '';
};

describe('a launcher of the settings', () => {
  it('starts a worker for a job, replaces it when it is killed, stops it when idle, and forgets it', async () => {
    expect((await client.launchers.list())[0]).toMatchObject({
      name: 'here',
      online: 0,
      coming: 0,
      maximum: 2,
    });
    const { id } = await client.runs.create({ spec: sproutSpec(model, { steps: 16 }) });
    const second = await client.runs.create({ spec: sproutSpec(model, { steps: 1 }) });
    // two jobs of one project, but one worker (perProject)
    await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe('running');
    expect(await launched()).toHaveLength(1);
    expect(await whyWaiting(second.id)).toMatch(/"here" has started 1 of at most 1 workers for this project/);
    await client.runs.cancel(second.id);
    const [first] = await launched();
    expect(first).toMatchObject({ launcher: 'here', project: 'default' });
    await expect
      .poll(async () => (await client.runs.get(id)).step ?? 0, { timeout: 60_000 })
      .toBeGreaterThan(0);
    kill(first?.name ?? '');
    await expect.poll(() => stateOf(id), { timeout: 80_000, interval: 200 }).toBe('finished');
    const [lost] = (await client.runs.get(id)).attempts;
    expect(lost).toMatchObject({
      state: 'lost',
      message: 'its worker is over: its process was killed, or its machine restarted',
    });
    const ended = (await launched()).find(({ name }) => name === first?.name);
    expect(ended).toMatchObject({ state: 'ended', reason: expect.stringMatching(/killed/) as string });
    await expect
      .poll(async () => (await launched()).map(({ state }) => state), { timeout: 60_000 })
      .toEqual(['ended', 'ended']);
    const [last] = await launched();
    expect(last?.reason).toBe('it was idle for 1 s');
    // nothing stays: keys, workers in the list, processes
    const keys = (await client.keys.list()).items.map(({ name }) => name);
    expect(keys.filter((name) => name.startsWith('here-'))).toEqual([]);
    await expect
      .poll(async () => (await client.workers.list()).items.map(({ name }) => name), { timeout: 30_000 })
      .toEqual([]);
  }, 180_000);

  it('backs off when workers fail, and says why in the queue, the API and the command line', async () => {
    const { id } = await client.runs.create({
      spec: sproutSpec(model, { steps: 1 }),
      needs: { kind: 'gpu' },
    } as never);
    await expect
      .poll(() => whyWaiting(id), { timeout: 30_000 })
      .toMatch(/No worker is connected\. The launcher "broken" backs off until .*code 7: no GPU\.$/);
    expect((await client.launchers.workers({ launcher: 'broken', ended: true })).items).toHaveLength(1);
    const words = ['--server', server.url, '--key', server.adminKey];
    const list = await callCli(['launcher', 'list', ...words]);
    expect(list.stdout).toMatch(
      /^here {2}local .*of 0 to 2; 1 CPU slot each\nbroken {2}local .*1 GPU each, backs off for .*no GPU/,
    );
    const workers = await callCli(['launcher', 'workers', 'broken', '--ended', '--json', ...words]);
    expect(JSON.parse(workers.stdout)).toMatchObject({ launcher: 'broken', state: 'ended' });
    const stop = await callCli(['launcher', 'stop', 'here-00000000', ...words]);
    expect(stop).toMatchObject({
      code: expect.any(Number) as number,
      stderr: expect.stringMatching(/server.not_found/) as string,
    });
    await client.runs.cancel(id);
  });
});

/** Kills a worker with its supervisor and trainer, as a machine that is lost. */
function kill(name: string): void {
  const folder = join(server.options.data, 'launchers', 'here', name);
  const [pid = ''] = readFileSync(join(folder, 'pid'), 'utf8').split(' ');
  const family = [pid];
  for (const each of family) {
    const found = execFileSync('sh', ['-c', `ps -o pid= --ppid ${each} || true`], { encoding: 'utf8' });
    family.push(
      ...found
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    );
  }
  for (const each of family) process.kill(Number(each), 'SIGKILL');
}
