/**
 * @file The Kubernetes launcher against a real control plane, with the rights that the Helm chart grants. `npm run
 * check:kubernetes` builds and runs it; elsewhere these tests are skipped by name.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BatchV1Api, CoreV1Api, KubernetesObjectApi, VersionApi } from '@kubernetes/client-node';
import { parse as parseYaml } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launcherOptions } from '../../apps/server/src/config/launcher-options.js';
import { createLauncher } from '../../apps/server/src/core/launchers/create-launcher.js';
import type { LaunchedRef } from '../../apps/server/src/core/launchers/launcher.js';
import { describeLauncher, testLauncher } from '../../apps/server/src/testing/launcher.suite.js';
import { type KubernetesCluster, missingKubernetes, startKubernetes } from '../support/kubernetes-cluster.js';
import {
  account,
  type Lab,
  namespace,
  prepareLab,
  renderedChart,
  writeAccountFiles,
} from '../support/kubernetes-lab.js';

const jobLabel = 'batch.kubernetes.io/job-name';

describeLauncher('the Kubernetes launcher, on a real API server', missingKubernetes(), () => {
  let cluster: KubernetesCluster;
  let lab: Lab;
  let core: CoreV1Api;
  let batch: BatchV1Api;
  let objects: KubernetesObjectApi;

  const create = (more: object = {}) =>
    createLauncher(
      launcherOptions.parse([
        {
          name: 'pods',
          driver: 'kubernetes',
          namespace,
          image: 'espalier',
          kubeconfig: lab.kubeconfig,
          stopSeconds: 30,
          commandSeconds: 10,
          worker: { server: 'http://127.0.0.1:4500', kind: 'gpu', count: 2 },
          resources: { requests: { cpu: 4 }, limits: { memory: '16Gi' } },
          ...more,
        },
      ])[0] as never,
      '',
    );
  const refOf = (id: string): LaunchedRef => ({ name: `pods-${id}`, handle: `pods-${id}` });
  const start = async (id: string, more: object = {}): Promise<ReturnType<typeof watch>> => {
    const launcher = create(more);
    await launcher.start({ name: refOf(id).name, environment: { A: 'b' }, command: saving });
    return watch(id, more);
  };
  const watch = (id: string, more: object = {}) => {
    const launcher = create(more);
    const ref = refOf(id);
    const see = async () => (await launcher.observe([ref])).get(ref.name);
    return {
      ref,
      see,
      phase: async () => (await see())?.phase ?? 'gone',
      reason: async () => (await see())?.reason ?? '',
      end: async () => {
        await launcher.stop(ref, true);
        await expect.poll(async () => (await see())?.phase ?? 'gone', polling).toBe('gone');
        await launcher.cleanUp(ref);
      },
    };
  };
  const polling = { timeout: 40_000, interval: 200 };
  const podOf = async ({ name }: LaunchedRef) =>
    (await core.listNamespacedPod({ namespace, labelSelector: `${jobLabel}=${name}` })).items[0];

  beforeAll(async () => {
    cluster = await startKubernetes();
    lab = await prepareLab(cluster);
    core = cluster.admin.makeApiClient(CoreV1Api);
    batch = cluster.admin.makeApiClient(BatchV1Api);
    objects = KubernetesObjectApi.makeApiClient(cluster.admin);
    const { gitVersion } = await cluster.admin.makeApiClient(VersionApi).getCode();
    console.log(`API server ${gitVersion}`);
  }, 120_000);
  afterAll(async () => cluster.stop());

  testLauncher(async () => ({
    name: 'pods',
    create,
    // who may list Jobs and pods may not read Secrets
    publicText: async () =>
      JSON.stringify([
        await batch.listNamespacedJob({ namespace }),
        await core.listNamespacedPod({ namespace }),
      ]),
    endOutside: async ({ name }) => {
      const pod = await podOf({ name, handle: name });
      await core.deleteNamespacedPod({ namespace, name: pod?.metadata?.name ?? '' });
    },
    stop: () => Promise.resolve(),
  }));

  it('accepts all that the Helm chart renders, field by field', async () => {
    const isThere = new Set(['ServiceAccount', 'Role', 'RoleBinding']);
    for (const [name, resources] of renderedChart())
      for (const resource of resources.filter(({ kind = '' }) => !isThere.has(kind))) {
        const { kind = '', apiVersion = '' } = resource;
        const group = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
        const path = `/${group}/namespaces/${namespace}/${pluralOf(kind)}?fieldValidation=Strict&dryRun=All`;
        const body = { ...resource, metadata: { ...resource.metadata, namespace } };
        expect([name, kind, await cluster.post(path, body)]).toEqual([
          name,
          kind,
          { code: 201, message: '' },
        ]);
      }
  });

  it('runs as a pod does: by the address, the token and the authority of its service account', async () => {
    const files = writeAccountFiles(cluster, lab.token);
    const folder = '/run/secrets/kubernetes.io/serviceaccount';
    const binds = Object.entries(files).flatMap(([name, path]) => ['--ro-bind', path, `${folder}/${name}`]);
    const worker = { server: 'http://127.0.0.1:4500' };
    const options = { name: 'pods', driver: 'kubernetes', namespace, image: 'espalier', worker };
    const server = new URL('../../apps/server/dist/', import.meta.url).href;
    const script = `
      const { launcherOptions } = await import('${server}config/launcher-options.js');
      const { createLauncher } = await import('${server}core/launchers/create-launcher.js');
      const launcher = createLauncher(launcherOptions.parse([${JSON.stringify(options)}])[0], '');
      const ref = { name: 'pods-in-cluster', handle: null };
      await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '600'] });
      console.log((await launcher.observe([ref])).get(ref.name).phase);
      await launcher.stop(ref, true);
      await launcher.cleanUp(ref);`;
    const words = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run', ...binds];
    const { hostname, port } = new URL(cluster.url);
    const variables = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, HOME: '/run' };
    const program = [process.execPath, '--input-type=module', '-e', script];
    const env = { PATH: process.env['PATH'], ...variables };
    const { stdout, stderr } = spawnSync('bwrap', [...words, ...program], { encoding: 'utf8', env });
    expect([stdout.trim(), stderr]).toEqual([expect.stringMatching(/^(pending|running)$/), '']);
  });

  it('trusts the authority of its kubeconfig alone, and tells that a token is not accepted', async () => {
    const authority = '/etc/ssl/certs/ca-certificates.crt';
    const other = cluster.kubeconfig('other', lab.token, { 'certificate-authority': authority });
    await expect(create({ kubeconfig: other }).observe([refOf('none')])).rejects.toThrow(
      /^Kubernetes: .*(certificate|issuer)/i,
    );
    const stranger = cluster.kubeconfig('stranger', 'no-token');
    await expect(create({ kubeconfig: stranger }).observe([refOf('none')])).rejects.toThrow(
      /^Kubernetes: Unauthorized \(401\)$/,
    );
  });

  it('refuses a field of the template that Kubernetes does not know', async () => {
    const typo = create({ podTemplate: { toleration: [{ key: 'nvidia.com/gpu' }] } });
    const order = { name: 'pods-typo', environment: {}, command: [] };
    await expect(typo.start(order)).rejects.toThrow(
      /^Kubernetes: Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.template.spec.toleration"$/,
    );
    await typo.cleanUp({ name: order.name, handle: null });
  });

  it('tells what a quota says: a pod waits for room, a Job too many is refused', async () => {
    await setQuota('gpus', { 'requests.nvidia.com/gpu': '1' });
    const worker = await start('quota');
    await expect
      .poll(worker.reason, polling)
      .toMatch(/^exceeded quota: gpus, requested: requests.nvidia.com\/gpu=2/);
    expect(await worker.phase()).toBe('pending');
    await core.deleteNamespacedResourceQuota({ namespace, name: 'gpus' });
    await expect.poll(worker.phase, polling).toBe('running');
    await worker.end();
    await setQuota('jobs', { 'count/jobs.batch': '0' });
    await expect(start('many')).rejects.toThrow(
      /^Kubernetes: jobs.batch "pods-many" is forbidden: exceeded quota: jobs, requested: count\/jobs.batch=1/,
    );
    await core.deleteNamespacedResourceQuota({ namespace, name: 'jobs' });
    await create().cleanUp(refOf('many'));
  });

  it('tells at once what will stand: Pod Security, a LimitRange, a policy', async () => {
    await setSecurity('restricted');
    await expectRefusal(
      'security',
      /^violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
    );
    // what docs/use/kubernetes.md shows for such a namespace is admitted, and its volume is found
    await makeClaim('models');
    const worker = await start('documented', { podTemplate: documentedTemplate() });
    await expect.poll(worker.phase, polling).toBe('running');
    await worker.end();
    await setSecurity(null);

    const limits = [{ type: 'Container', max: { memory: '8Gi' } }];
    await core.createNamespacedLimitRange({
      namespace,
      body: { metadata: { name: 'small' }, spec: { limits } },
    });
    await expectRefusal('limit', /^maximum memory usage per Container is 8Gi, but limit is 16Gi/);
    await core.deleteNamespacedLimitRange({ namespace, name: 'small' });

    const endPolicy = await makePolicy();
    await expectRefusal('policy', /ValidatingAdmissionPolicy 'images'.* denied request: only our registry/);
    await endPolicy();
  });

  it('tells why the scheduler finds no node, and that a worker was pre-empted', async () => {
    const gpus = (count: number, podTemplate: object = {}) => ({
      worker: { server: 'http://127.0.0.1:4500', kind: 'gpu', count },
      podTemplate,
    });
    const large = await start('large', gpus(9));
    await expect
      .poll(large.reason, polling)
      .toMatch(/^Unschedulable: 0\/2 nodes are available: 2 Insufficient nvidia.com\/gpu/);
    await large.end();
    const header = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };
    for (const [name, value] of Object.entries({ low: 1, high: 100 }))
      await objects.create({ ...header, metadata: { name }, value } as never);
    const low = [
      await start('low-1', gpus(8, { priorityClassName: 'low' })),
      await start('low-2', gpus(8, { priorityClassName: 'low' })),
    ];
    for (const one of low) await expect.poll(one.phase, polling).toBe('running');
    const high = await start('high', gpus(8, { priorityClassName: 'high' }));
    // all are looked at together, as a server does: the pods go, and with them what tells why
    const phases = async () => [
      await high.phase(),
      ...(await Promise.all(low.map((one) => one.phase()))).sort(),
    ];
    await expect.poll(phases, polling).toEqual(['running', 'ended', 'running']);
    const seen = await Promise.all(low.map((one) => one.see()));
    expect(seen.find((one) => one?.phase === 'ended')?.reason).toMatch(
      /^its pod was disrupted: PreemptionByScheduler /,
    );
    for (const one of [...low, high]) await one.end();
  });

  it('tells that a pod was evicted, that its node is gone, and that somebody deleted its Job', async () => {
    const evicted = await start('evicted');
    await expect.poll(evicted.phase, polling).toBe('running');
    const name = (await podOf(evicted.ref))?.metadata?.name ?? '';
    await core.createNamespacedPodEviction({ namespace, name, body: { metadata: { name } } });
    await expect.poll(evicted.phase, polling).toBe('ended');
    expect(await evicted.reason()).toMatch(
      /^its pod was disrupted: EvictionByEvictionAPI Eviction API: evicting/,
    );
    await evicted.end();

    const deleted = await start('deleted');
    await expect.poll(deleted.phase, polling).toBe('running');
    await batch.deleteNamespacedJob({ namespace, name: deleted.ref.name, propagationPolicy: 'Background' });
    await expect.poll(deleted.phase, polling).toBe('gone');
    await deleted.end();

    const node = await cluster.addNode('n3');
    const lost = await start('lost', { podTemplate: { nodeSelector: { 'kubernetes.io/hostname': 'n3' } } });
    await expect.poll(lost.phase, polling).toBe('running');
    await node.stop();
    await core.deleteNode({ name: 'n3' });
    // the collector of pods waits 40 s for a node that may return
    await expect.poll(lost.phase, { timeout: 120_000, interval: 500 }).toBe('ended');
    expect(await lost.reason()).toMatch(
      /^its pod was disrupted: DeletionByPodGC PodGC: node no longer exists/,
    );
    await lost.end();
  }, 240_000);

  it('works without Events, and says of every right that is missing which one it is', async () => {
    const restore = await lab.withRules((rules) =>
      rules.filter(({ resources }) => resources?.[0] !== 'events'),
    );
    await setQuota('none', { pods: '0' });
    const worker = await start('silent');
    await expect.poll(worker.reason, polling).toContain('grant `list` of `events`');
    await core.deleteNamespacedResourceQuota({ namespace, name: 'none' });
    await worker.end();
    await restore();
    const rights = {
      jobs: ['create', 'list', 'delete'],
      secrets: ['create', 'delete'],
      pods: ['list', 'deletecollection'],
    };
    for (const [kind, verbs] of Object.entries(rights))
      for (const verb of verbs) await expectMissing(kind, verb);
  }, 120_000);

  it('leaves its workers alone while the API server is away', async () => {
    const worker = await start('outage');
    await expect.poll(worker.phase, polling).toBe('running');
    const uid = (await podOf(worker.ref))?.metadata?.uid;
    await cluster.restartApi(async () => {
      await expect(worker.see()).rejects.toThrow(/^Kubernetes: .*ECONNREFUSED/);
    });
    await expect.poll(worker.phase, polling).toBe('running');
    expect((await podOf(worker.ref))?.metadata?.uid).toBe(uid);
    await worker.end();
  });

  /** Without this right, the launcher says so; with it, it does what it has to. */
  const expectMissing = async (kind: string, verb: string): Promise<void> => {
    const restore = await lab.withRules((rules) =>
      rules.map((rule) =>
        rule.resources?.[0] === kind ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) } : rule,
      ),
    );
    const launcher = create();
    const ref = refOf(`without-${verb}-${kind}`);
    const use = async (): Promise<void> => {
      await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '60'] });
      await launcher.observe([ref]);
      await launcher.stop(ref, true);
      await launcher.cleanUp(ref);
    };
    const user = `User "system:serviceaccount:${namespace}:${account}"`;
    const group = kind === 'jobs' ? 'batch' : '';
    const missing = `${user} cannot ${verb} resource "${kind}" in API group "${group}" in the namespace "${namespace}"`;
    // a Role takes a moment to be known
    await expect.poll(() => use().then(String, String), polling).toContain(missing);
    await restore();
    await expect.poll(() => use().then(String, String), polling).toBe('undefined');
  };

  const setQuota = async (name: string, hard: Record<string, string>): Promise<void> => {
    await core.createNamespacedResourceQuota({ namespace, body: { metadata: { name }, spec: { hard } } });
    const isCounted = async () =>
      Object.keys((await core.readNamespacedResourceQuota({ namespace, name })).status?.used ?? {});
    await expect.poll(isCounted, polling).toEqual(Object.keys(hard));
  };

  const setSecurity = async (level: string | null): Promise<void> => {
    const labels = { 'pod-security.kubernetes.io/enforce': level };
    await objects.patch({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels },
    } as never);
  };

  const expectRefusal = async (id: string, reason: RegExp): Promise<void> => {
    const worker = await start(id);
    await expect.poll(worker.phase, polling).toBe('refused');
    expect(await worker.reason()).toMatch(reason);
    await worker.end();
  };

  const makeClaim = async (name: string): Promise<void> => {
    const common = { storageClassName: '', accessModes: ['ReadOnlyMany'] };
    const capacity = { storage: '1Gi' };
    const spec = { ...common, capacity, hostPath: { path: cluster.folder }, claimRef: { name, namespace } };
    await core.createPersistentVolume({ body: { metadata: { name }, spec } });
    const claim = { ...common, resources: { requests: capacity } };
    await core.createNamespacedPersistentVolumeClaim({
      namespace,
      body: { metadata: { name }, spec: claim },
    });
  };

  /** Admits images of one registry alone; the function that it returns ends that. */
  const makePolicy = async (): Promise<() => Promise<void>> => {
    const header = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'images' } };
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
    const expression = 'object.spec.containers.all(c, c.image.startsWith("registry.example/"))';
    const validations = [{ expression, message: 'only our registry' }];
    const spec = { matchConstraints: { resourceRules: [rule] }, validations };
    await objects.create({ ...header, kind: 'ValidatingAdmissionPolicy', spec } as never);
    const binding = { ...header, kind: 'ValidatingAdmissionPolicyBinding' };
    await objects.create({
      ...binding,
      spec: { policyName: 'images', validationActions: ['Deny'] },
    } as never);
    // it takes a moment to be enforced
    const body = { metadata: { name: 'probe' }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const isAdmitted = () =>
      core.createNamespacedPod({ namespace, body, dryRun: 'All' }).then(
        () => true,
        () => false,
      );
    await expect.poll(isAdmitted, polling).toBe(false);
    return async () => {
      await objects.delete(binding);
      await expect.poll(isAdmitted, polling).toBe(true);
    };
  };
});

/** A worker that takes a moment to save. */
const saving = ['sh', '-c', 'trap "sleep 2; exit 0" TERM; sleep 600 & wait'];

const pluralOf = (kind: string): string => `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;

/** The template of docs/use/kubernetes.md for a namespace whose Pod Security is `restricted`. */
function documentedTemplate(): object {
  const text = readFileSync(fileURLToPath(new URL('../../docs/use/kubernetes.md', import.meta.url)), 'utf8');
  const blocks = [...text.matchAll(/```yaml\n(.*?)\n```/gs)].map(([, block = '']) => block);
  const { server } = parseYaml(blocks.find((block) => block.includes('seccompProfile')) ?? '') as {
    server: { settings: { launchers: { podTemplate: object }[] } };
  };
  return server.settings.launchers[0]?.podTemplate ?? {};
}
