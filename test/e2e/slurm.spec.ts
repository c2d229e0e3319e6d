/**
 * @file Workers of a real Slurm cluster train runs while a node is drained and a job is cancelled behind the server's back.
 * `npm run check:slurm` goes on until Slurm had 20 jobs, and fails where Slurm is missing.
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

/** Jobs of Slurm that get a node. A worker may train several runs, so there are as many runs as it takes. */
const count = isLong ? 20 : 3;
const steps = isLong ? 6 : 12;
/** Runs that are created at once, on two nodes. */
const atOnce = 3;
/** What the server says of a worker that is over, and what Slurm may say of its job. */
const endings = [
  { reason: /^no job needs it any more$/, says: /^CANCELLED on $/ },
  { reason: /^it was idle$/, says: /^COMPLETED on n[12]$/ },
  { reason: /^it was cancelled in Slurm on n[12] \(CANCELLED\)$/, says: /^CANCELLED on n[12]$/ },
];
const withinMs = isLong ? 1_200_000 : 240_000;

describeLauncher(`runs on ${count} workers of Slurm`, missingSlurm(), () => {
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
      let created = 0;
      const createWave = async (): Promise<void> => {
        for (let index = 0; index < atOnce; index += 1)
          await client.runs.create({ spec: sproutSpec(model, { steps }) });
        created += atOnce;
      };
      await createWave();
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
      const alive = async (): Promise<number> =>
        (await launched()).filter(({ state }) => state !== 'ended').length;
      /** New runs once those before are finished and their workers over; tells how many jobs got a node. */
      const proceed = async (): Promise<number> => {
        const found = slurm.jobs().controller.filter(({ node }) => node !== '').length;
        if (found < count && (await finished()) === created && (await alive()) === 0) await createWave();
        return found;
      };
      const within = { timeout: withinMs, interval: 500 };
      await expect.poll(proceed, within).toBeGreaterThanOrEqual(Math.ceil(count / 2));
      slurm.run('scontrol', 'update', 'nodename=n1', 'state=resume');
      await expect.poll(proceed, within).toBeGreaterThanOrEqual(count);
      await expect.poll(finished, within).toBe(created);
      await expect.poll(alive, { timeout: 120_000 }).toBe(0);

      // none is left in the queue; controller and accounts agree on each; each has its row, which says how it ended
      expect(slurm.run('squeue', '--noheader').trim()).toBe('');
      const { controller, accounts } = slurm.jobs();
      expect(accounts).toEqual(controller);
      const rows = new Map((await launched()).map((row) => [Number(row.handle), row]));
      expect([...rows.keys()].sort((one, other) => one - other)).toEqual(controller.map(({ id }) => id));
      for (const { id, name, state, node } of controller) {
        const row = rows.get(id);
        expect(row?.name).toBe(name);
        const ending = endings.find(({ reason }) => reason.test(row?.reason ?? ''));
        expect(`${state} on ${node}`, row?.reason).toMatch(ending?.says ?? /^$/);
      }
      const byState = new Map<string, number>();
      for (const { state, node } of controller) {
        const what = `${state}${node === '' ? ' before it had a node' : ''}`;
        byState.set(what, (byState.get(what) ?? 0) + 1);
      }
      console.log(`${created} runs, ${controller.length} jobs of Slurm:`, byState);
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
