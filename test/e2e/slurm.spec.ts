/**
 * @file Workers of a real Slurm cluster train runs while a node is drained and a job is cancelled behind the server's back.
 * `npm run check:slurm` runs it with 20 runs and fails where Slurm is missing.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeLauncher } from '../../apps/server/src/testing/launcher.suite.js';
import { isLong } from '../support/long.js';
import { missingSlurm, type SlurmCluster, startSlurm } from '../support/slurm.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const count = isLong ? 20 : 3;
const withinMs = isLong ? 1_200_000 : 240_000;

describeLauncher(`${count} runs on workers of Slurm`, missingSlurm(), () => {
  const root = mkdtempSync(join(tmpdir(), 'espalier-slurm-runs-'));
  let slurm: SlurmCluster;
  let server: TestServer;
  let client: Client;
  let model: string;
  beforeAll(async () => {
    model = await makeSprout(root);
    // one worker on a node at a time: this machine has few cores
    slurm = await startSlurm({ cpus: 1 });
    server = await startTestServer({
      minFreeMb: 0,
      modelRoots: [root],
      leaseSeconds: 6,
      heartbeatSeconds: 1,
      retrySeconds: 0,
    }).then(async (first) => {
      const { port } = new URL(first.url);
      await first.close();
      return startTestServer({
        port: Number(port),
        minFreeMb: 0,
        modelRoots: [root],
        leaseSeconds: 6,
        heartbeatSeconds: 1,
        retrySeconds: 0,
        launchers: [
          {
            name: 'cluster',
            driver: 'slurm',
            maximum: 4,
            idleSeconds: 0,
            pollSeconds: 0.5,
            folder: join(root, 'nodes'),
            logs: root,
            worker: {
              server: `http://127.0.0.1:${port}`,
              environment: {
                ESPALIER__WORKER__MINFREEMB: '0',
                ESPALIER__WORKER__MODELROOTS: JSON.stringify([root]),
              },
            },
          },
        ],
      });
    });
    client = createClient({ url: server.url, key: server.adminKey });
  }, 120_000);
  afterAll(async () => {
    await client.dispose();
    await server.close();
    await slurm.stop();
    removeFolder(root);
  });

  const launched = async () => (await client.launchers.workers({ ended: true, first: 200 })).items;
  const states = async (): Promise<string[]> =>
    (await client.runs.list({}, { first: 100 })).items.map(({ state }) => state);
  const finished = async (): Promise<number> =>
    (await states()).filter((state) => state === 'finished').length;

  it(
    'all finish, and every job of Slurm is accounted for, though a node is drained and one is cancelled',
    async () => {
      for (let index = 0; index < count; index += 1)
        await client.runs.create({ spec: sproutSpec(model, { steps: isLong ? 6 : 12 }) });
      await expect.poll(states, { timeout: withinMs, interval: 500 }).toContain('running');
      const onNode = (node: string): string[] =>
        slurm
          .run('squeue', '--noheader', `--nodelist=${node}`, '--format=%j')
          .split('\n')
          .filter((name) => name !== '');
      // maintenance: what runs there may finish, nothing new starts
      slurm.run('scontrol', 'update', 'nodename=n1', 'state=drain', 'reason=maintenance');
      const [victim = ''] = onNode('n2').length > 0 ? onNode('n2') : onNode('n1');
      slurm.run('scancel', `--name=${victim}`);
      await expect
        .poll(async () => (await launched()).find(({ name }) => name === victim)?.reason, {
          timeout: 60_000,
        })
        .toMatch(/cancelled/i);
      await expect
        .poll(finished, { timeout: withinMs, interval: 1000 })
        .toBeGreaterThanOrEqual(Math.ceil(count / 2));
      slurm.run('scontrol', 'update', 'nodename=n1', 'state=resume');
      await expect.poll(finished, { timeout: withinMs, interval: 1000 }).toBe(count);
      await expect
        .poll(async () => (await launched()).filter(({ state }) => state !== 'ended'), { timeout: 120_000 })
        .toEqual([]);
      // each job of Slurm has its row, and none is left in the queue
      const rows = await launched();
      const ids = rows.map(({ handle }) => Number(handle)).sort((a, b) => a - b);
      expect(ids).toEqual(Array.from({ length: rows.length }, (_, index) => index + 1));
      expect(slurm.run('squeue', '--noheader').trim()).toBe('');
      for (const { reason } of rows) expect(reason).not.toBe('');
      console.log(`${count} runs, ${rows.length} jobs of Slurm:`, [
        ...new Set(rows.map(({ reason }) => reason)),
      ]);
    },
    withinMs + 300_000,
  );

  const urgentOn = (node: string): string[] => [
    '--partition=urgent',
    '--exclusive',
    `--nodelist=${node}`,
    '--output=/dev/null',
    '--wrap=sleep 600',
  ];
  it.each([
    {
      fate: 'whose node failed',
      strike: (node: string) =>
        slurm.run('scontrol', 'update', `nodename=${node}`, 'state=down', 'reason=power'),
      // its slurmd registers again by itself
      mend: () => '',
      reason: /its node failed.*\(NODE_FAIL\)/,
    },
    {
      fate: 'that was pre-empted',
      strike: (node: string) => slurm.run('sbatch', '--job-name=urgent', ...urgentOn(node)),
      mend: () => slurm.run('scancel', '--name=urgent'),
      reason: /pre-empted by another job of the cluster.*\(PREEMPTED\)/,
    },
  ])(
    'replace one $fate, say so, and its run goes on',
    async ({ strike, mend, reason }) => {
      const { id } = await client.runs.create({ spec: sproutSpec(model, { steps: 200 }) });
      const running = (): string =>
        slurm.run('squeue', '--noheader', '--states=RUNNING', '--partition=main', '--format=%j %N').trim();
      const stepOf = async (): Promise<number> => (await client.runs.get(id)).step ?? 0;
      await expect.poll(stepOf, { timeout: 120_000, interval: 300 }).toBeGreaterThan(0);
      // workers of earlier runs end when they are idle
      await expect.poll(() => running().split('\n').length, { timeout: 60_000 }).toBe(1);
      const [victim = '', node = ''] = running().split(/\s+/);
      strike(node);
      await expect
        .poll(async () => (await launched()).find(({ name }) => name === victim)?.reason, {
          timeout: 60_000,
        })
        .toMatch(reason);
      await expect.poll(running, { timeout: 120_000, interval: 300 }).not.toBe('');
      expect(running()).not.toContain(victim);
      const before = await stepOf();
      await expect.poll(stepOf, { timeout: 120_000, interval: 300 }).toBeGreaterThan(before);
      await client.runs.cancel(id);
      mend();
    },
    withinMs + 300_000,
  );
});
