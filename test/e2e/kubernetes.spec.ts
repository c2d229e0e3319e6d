/**
 * @file Workers of a real Kubernetes cluster train runs, while pods, nodes, Jobs and the API server go away. `npm run
 * check:kubernetes` builds the cluster's program and runs it; elsewhere these tests are skipped by name.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { freePort, removeFolder } from '@espalier/testing';
import { BatchV1Api, CoreV1Api, type V1Pod } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeLauncher } from '../../apps/server/src/testing/launcher.suite.js';
import { type KubernetesCluster, missingKubernetes, startKubernetes } from '../support/kubernetes-cluster.js';
import { namespace, prepareLab } from '../support/kubernetes-lab.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const polling = { timeout: 120_000, interval: 300 };

describeLauncher('runs on workers of Kubernetes', missingKubernetes(), () => {
  const root = mkdtempSync(join(tmpdir(), 'espalier-kubernetes-runs-'));
  let cluster: KubernetesCluster;
  let server: TestServer;
  let client: Client;
  let core: CoreV1Api;
  let batch: BatchV1Api;
  let model: string;
  beforeAll(async () => {
    model = await makeSprout(root);
    cluster = await startKubernetes();
    const { kubeconfig } = await prepareLab(cluster);
    core = cluster.admin.makeApiClient(CoreV1Api);
    batch = cluster.admin.makeApiClient(BatchV1Api);
    const port = await freePort();
    const environment = {
      ESPALIER__WORKER__MINFREEMB: '0',
      ESPALIER__WORKER__MODELROOTS: JSON.stringify([root]),
    };
    const launcher = {
      name: 'pods',
      driver: 'kubernetes',
      namespace,
      kubeconfig,
      image: 'espalier',
      maximum: 2,
      idleSeconds: 0,
      pollSeconds: 0.5,
      backoffSeconds: 1,
      worker: { server: `http://127.0.0.1:${port}`, environment },
    };
    server = await startTestServer({
      port,
      minFreeMb: 0,
      modelRoots: [root],
      leaseSeconds: 6,
      heartbeatSeconds: 1,
      retrySeconds: 0,
      launchers: [launcher],
    });
    client = createClient({ url: server.url, key: server.adminKey });
  }, 120_000);
  afterAll(async () => {
    await client.dispose();
    await server.close();
    await cluster.stop();
    removeFolder(root);
  });

  const launched = async () => (await client.launchers.workers({ ended: true, first: 200 })).items;
  const stateOf = async (id: string): Promise<string> => (await client.runs.get(id)).state;
  const stepOf = async (id: string): Promise<number> => (await client.runs.get(id)).step ?? 0;
  const running = async (): Promise<V1Pod[]> =>
    (await core.listNamespacedPod({ namespace })).items.filter(
      ({ status, metadata }) => status?.phase === 'Running' && metadata?.deletionTimestamp === undefined,
    );
  const nameOf = (pod: V1Pod | undefined): string => pod?.metadata?.name ?? '';
  const workerOf = (pod: V1Pod | undefined): string =>
    pod?.metadata?.labels?.['batch.kubernetes.io/job-name'] ?? '';
  /** Pods, Secrets, and Jobs that are not over; one that is over is there for an hour. */
  const left = async (): Promise<string[]> => {
    const [jobs, pods, secrets] = await Promise.all([
      batch.listNamespacedJob({ namespace }),
      core.listNamespacedPod({ namespace }),
      core.listNamespacedSecret({ namespace }),
    ]);
    const isOver = (types: (string | undefined)[]) => types.includes('Failed') || types.includes('Complete');
    const live = jobs.items.filter(
      ({ status }) => !isOver(status?.conditions?.map(({ type }) => type) ?? []),
    );
    const there = [
      ...live,
      ...pods.items.filter(({ status }) => status?.phase !== 'Failed'),
      ...secrets.items,
    ];
    return there.map(({ metadata }) => metadata?.name ?? '');
  };

  afterEach(async () => {
    const { items } = await client.runs.list({}, { first: 100 });
    for (const { id, state } of items)
      if (['queued', 'running'].includes(state)) await client.runs.cancel(id);
  });

  it('starts a worker for a run, trains it to its end, and leaves nothing in the cluster', async () => {
    expect(await left()).toEqual([]);
    const { id } = await client.runs.create({ spec: sproutSpec(model, { steps: 6 }) });
    await expect.poll(() => stateOf(id), polling).toBe('finished');
    await expect.poll(left, polling).toEqual([]);
    const [row, ...more] = await launched();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ state: 'ended', reason: expect.stringContaining('it was idle') as string });
  }, 200_000);

  // What a pod was ended for can be read while it saves, and these workers may be over between two looks: then only
  // what they said themselves is known. That each reason is told while a pod saves is in test/server/kubernetes.spec.ts.
  const fates: Record<string, { strike: (pod: V1Pod) => Promise<unknown>; reason: RegExp }> = {
    'whose pod was evicted': {
      strike: (pod) =>
        core.createNamespacedPodEviction({
          namespace,
          name: nameOf(pod),
          body: { metadata: { name: nameOf(pod) } },
        }),
      reason: /EvictionByEvictionAPI|it was drained/,
    },
    'whose pod was deleted by force': {
      strike: (pod) => core.deleteNamespacedPod({ namespace, name: nameOf(pod), gracePeriodSeconds: 0 }),
      reason: /it was drained|it ended|backoff limit/,
    },
    'whose Job was deleted': {
      strike: (pod) =>
        batch.deleteNamespacedJob({ namespace, name: workerOf(pod), propagationPolicy: 'Background' }),
      reason: /its Job was deleted|it no longer exists|it was drained/,
    },
    'whose node lost its power, and was taken out of the cluster': {
      strike: async ({ spec }) => {
        const name = spec?.nodeName ?? '';
        await cluster.nodes.find((node) => node.name === name)?.stop();
        await core.deleteNode({ name });
      },
      reason: /DeletionByPodGC/,
    },
  };
  it.each(Object.keys(fates))(
    'replaces a worker %s, says so, and its run goes on',
    async (fate) => {
      const { strike, reason } = fates[fate] as (typeof fates)[string];
      const { id } = await client.runs.create({ spec: sproutSpec(model, { steps: 400 }) });
      await expect.poll(() => stepOf(id), polling).toBeGreaterThan(2);
      await expect.poll(async () => (await running()).length, polling).toBe(1);
      const [pod] = (await running()) as [V1Pod];
      const victim = workerOf(pod);
      await strike(pod);
      await expect
        .poll(async () => (await running()).map(workerOf), polling)
        .toEqual([expect.not.stringMatching(victim)]);
      const before = await stepOf(id);
      await expect.poll(() => stepOf(id), polling).toBeGreaterThan(before);
      await expect
        .poll(async () => (await launched()).find(({ name }) => name === victim)?.reason, polling)
        .toMatch(reason);
      await client.runs.cancel(id);
      await expect.poll(left, polling).toEqual([]);
    },
    400_000,
  );

  it('trains on while the API server is away, says so, and stops the worker afterwards', async () => {
    const { id } = await client.runs.create({ spec: sproutSpec(model, { steps: 60 }) });
    await expect.poll(() => stepOf(id), polling).toBeGreaterThan(2);
    const [pod] = (await running()) as [V1Pod];
    const problem = async (): Promise<string> => (await client.launchers.list())[0]?.problem ?? '';
    await cluster.restartApi(async () => {
      await expect
        .poll(problem, polling)
        .toMatch(/its workers cannot be observed: Kubernetes: .*ECONNREFUSED/);
      const before = await stepOf(id);
      await expect.poll(() => stepOf(id), polling).toBeGreaterThan(before);
    });
    await expect.poll(problem, polling).toBe('');
    await expect.poll(() => stateOf(id), polling).toBe('finished');
    expect((await client.runs.get(id)).attempts).toHaveLength(1);
    await expect.poll(left, polling).toEqual([]);
    expect((await launched()).find(({ name }) => name === workerOf(pod))?.reason).toMatch(
      /it was idle for 0 s/,
    );
  }, 400_000);
});
