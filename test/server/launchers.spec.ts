import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcherOptions } from '../../apps/server/src/config/launcher-options.js';
import { createLauncher } from '../../apps/server/src/core/launchers/create-launcher.js';
import {
  describeLauncher,
  readCommandLines,
  testLauncher,
} from '../../apps/server/src/testing/launcher.suite.js';
import { KubernetesApi } from '../support/kubernetes-api.js';
import { missingSlurm, startSlurm } from '../support/slurm.js';
import { missingSsh, startSshd } from '../support/sshd.js';

const server = 'http://127.0.0.1:4500';
const parse = (given: object) => launcherOptions.parse([given])[0] as never;

/** Kills the processes of a worker that runs in a folder of its own, its supervisor too. */
function killIn(folder: string, name: string): void {
  const [pid = ''] = readFileSync(join(folder, name, 'pid'), 'utf8').split(' ');
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', pid], { encoding: 'utf8' }).split('\n');
  for (const each of [...children, pid]) if (each.trim() !== '') process.kill(Number(each), 'SIGKILL');
}

describe('the local launcher', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-local-'));
  afterAll(() => {
    // a worker that ended well leaves nothing
    expect(readdirSync(folder)).not.toContain('here-00000002');
    removeFolder(folder);
  });
  testLauncher(async () => ({
    name: 'here',
    create: () => createLauncher(parse({ name: 'here', driver: 'local', folder }), folder),
    publicText: readCommandLines,
    endOutside: async ({ name }) => killIn(folder, name),
    stop: () => Promise.resolve(),
  }));
});

describeLauncher('the SSH launcher, on a real sshd', missingSsh(), () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-ssh-'));
  let sshd: Awaited<ReturnType<typeof startSshd>>;
  const create = (more = {}) =>
    createLauncher(
      parse({
        name: 'far',
        driver: 'ssh',
        hosts: ['127.0.0.1'],
        perHost: 4,
        folder,
        options: sshd.options,
        worker: { server },
        ...more,
      }),
      folder,
    );
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(async () => {
    await sshd.stop();
    removeFolder(folder);
  });
  testLauncher(async () => ({
    name: 'far',
    create,
    publicText: readCommandLines,
    endOutside: async ({ name }) => killIn(folder, name),
    stop: () => Promise.resolve(),
  }));

  it('starts no more than perHost workers on a host, and says so', async () => {
    const launcher = create({ perHost: 1 });
    const order = { environment: {}, command: ['sleep', '30'] };
    const handle = await launcher.start({ name: 'far-0000000a', ...order });
    await expect(launcher.start({ name: 'far-0000000b', ...order })).rejects.toThrow(/perHost/);
    await launcher.stop({ name: 'far-0000000a', handle }, true);
  });

  it('calls the workers of an unreachable host unknown, not ended', async () => {
    const launcher = create();
    const name = 'far-0000000c';
    const handle = await launcher.start({ name, environment: {}, command: ['sleep', '30'] });
    await sshd.down();
    const seen = (await launcher.observe([{ name, handle }])).get(name);
    expect(seen).toMatchObject({ phase: 'unknown', reason: expect.stringMatching(/refused/i) as string });
    await expect(
      launcher.start({ name: 'far-0000000d', environment: {}, command: ['sleep', '1'] }),
    ).rejects.toThrow(/127\.0\.0\.1: .*refused/i);
    await sshd.up();
    await expect
      .poll(async () => (await launcher.observe([{ name, handle }])).get(name)?.phase)
      .toBe('running');
    await launcher.stop({ name, handle }, true);
  });
});

describe('the Kubernetes launcher, on an API server of its own', () => {
  const api = new KubernetesApi();
  const create = (more = {}) =>
    createLauncher(
      parse({
        name: 'pods',
        driver: 'kubernetes',
        namespace: 'lab',
        image: 'espalier',
        kubeconfig: api.kubeconfig,
        stopSeconds: 30,
        commandSeconds: 5,
        worker: { server, kind: 'gpu', count: 2 },
        resources: { requests: { cpu: 4 }, limits: { memory: '16Gi' } },
        podTemplate: { nodeSelector: { pool: 'gpu' } },
        ...more,
      }),
      '',
    );
  beforeAll(async () => {
    await api.start();
  });
  afterAll(async () => api.stop());
  testLauncher(async () => ({
    name: 'pods',
    create,
    // who may list Jobs and pods may not read Secrets
    publicText: async () => JSON.stringify([...api.jobs.values(), ...api.pods.values()]),
    endOutside: async ({ name }) => api.preempt(name),
    stop: () => Promise.resolve(),
  }));

  it('requests GPUs, grace and what the settings add, and removes the Secret', async () => {
    const launcher = create();
    const name = 'pods-0000000a';
    await launcher.start({ name, environment: { A: 'b' }, command: [] });
    const spec = api.jobs.get(name)?.spec;
    expect(spec?.backoffLimit).toBe(0);
    expect(spec?.template.spec).toMatchObject({
      nodeSelector: { pool: 'gpu' },
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 30,
      containers: [
        {
          image: 'espalier',
          args: ['worker'],
          resources: { requests: { cpu: '4' }, limits: { memory: '16Gi', 'nvidia.com/gpu': '2' } },
        },
      ],
    });
    expect(api.secrets.has(name)).toBe(true);
    await launcher.cleanUp({ name, handle: name });
    expect(api.secrets.has(name)).toBe(false);
    await launcher.stop({ name, handle: name }, true);
  });

  it('completes the container of the worker from the template of its pod, and keeps what it needs', async () => {
    const volumes = [{ name: 'models', persistentVolumeClaim: { claimName: 'models', readOnly: true } }];
    const more = {
      volumeMounts: [{ name: 'models', mountPath: '/models', readOnly: true }],
      securityContext: { allowPrivilegeEscalation: false },
      envFrom: [{ configMapRef: { name: 'proxies' } }],
    };
    const key = { name: 'ESPALIER__WORKER__KEY', value: 'of somebody else' };
    const token = { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } };
    const given = { requests: { cpu: 1, memory: '8Gi' }, claims: [{ name: 'fast' }] };
    const launcher = create({
      podTemplate: { volumes, containers: [{ ...more, env: [key, token], resources: given }] },
    });
    const name = 'pods-0000001a';
    await launcher.start({ name, environment: { ESPALIER__WORKER__KEY: 'its own' }, command: [] });
    const spec = api.jobs.get(name)?.spec.template.spec;
    expect(spec).toMatchObject({ volumes });
    expect(spec?.containers).toEqual([
      {
        ...more,
        name: 'worker',
        image: 'espalier',
        args: ['worker'],
        env: [token],
        envFrom: [...more.envFrom, { secretRef: { name } }],
        resources: {
          ...given,
          requests: { cpu: '4', memory: '8Gi' },
          limits: { memory: '16Gi', 'nvidia.com/gpu': '2' },
        },
      },
    ]);
    await launcher.stop({ name, handle: name }, true);
  });

  it('refuses what a template cannot give the container, and a second container', () => {
    const refuse = (containers: object[], message: RegExp): void =>
      expect(() => create({ podTemplate: { containers } })).toThrow(message);
    refuse([{ name: 'sidecar' }], /is named `worker`/);
    refuse([{ image: 'other' }], /set `image` of the launcher/);
    refuse([{ command: ['sh'] }], /set `worker\.command` of the launcher/);
    refuse([{ args: ['serve'] }], /set `worker\.command` of the launcher/);
    refuse([{}, { name: 'logs' }], /a sidecar belongs in initContainers/);
    expect(() => create({ podTemplate: { containers: [{ name: 'worker' }] } })).not.toThrow();
  });

  it('tells why a pod waits, and that it was pre-empted', async () => {
    const launcher = create();
    const ref = { name: 'pods-0000000b', handle: 'pods-0000000b' };
    api.unschedulable = '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.';
    await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
    expect((await launcher.observe([ref])).get(ref.name)).toMatchObject({
      phase: 'pending',
      reason: expect.stringContaining('Insufficient nvidia.com/gpu') as string,
    });
    api.schedule();
    await expect.poll(async () => (await launcher.observe([ref])).get(ref.name)?.phase).toBe('running');
    api.preempt(ref.name);
    await expect.poll(async () => (await launcher.observe([ref])).get(ref.name)?.phase).toBe('ended');
    // the pod goes, and with it what told why
    await expect.poll(() => api.pods.has(ref.name)).toBe(false);
    expect((await launcher.observe([ref])).get(ref.name)?.reason).toContain('PreemptionByScheduler');
  });

  it('lets a worker save whose Job somebody has deleted', async () => {
    const launcher = create();
    const ref = { name: 'pods-0000002d', handle: 'pods-0000002d' };
    const see = async () => (await launcher.observe([ref])).get(ref.name);
    await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
    api.jobs.delete(ref.name);
    expect(await see()).toMatchObject({ phase: 'running', ending: 'its Job was deleted' });
    await launcher.stop(ref, true);
    await expect.poll(see).toMatchObject({ phase: 'ended', reason: 'its Job was deleted' });
    await expect.poll(see).toBeUndefined();
  });

  it('passes on that the service account may not create Jobs', async () => {
    api.withoutRight.add('jobs');
    await expect(create().start({ name: 'pods-0000000c', environment: {}, command: [] })).rejects.toThrow(
      /^Kubernetes: jobs.batch is forbidden: User .* cannot create resource "jobs" in API group "batch"/,
    );
    api.withoutRight.clear();
  });

  it('tells that its token is not accepted, without the headers of the answer', async () => {
    const text = readFileSync(api.kubeconfig, 'utf8').replace(/"token":"[^"]*"/, '"token":"expired"');
    const kubeconfig = `${api.kubeconfig}-expired`;
    writeFileSync(kubeconfig, text);
    await expect(create({ kubeconfig }).observe([{ name: 'pods-1', handle: null }])).rejects.toThrow(
      /^Kubernetes: Unauthorized \(401\)$/,
    );
  });

  it('refuses a field of the template that Kubernetes does not know', async () => {
    const order = { name: 'pods-0000002a', environment: {}, command: [] };
    for (const podTemplate of [{ toleration: [] }, { containers: [{ volumeMount: [] }] }])
      await expect(create({ podTemplate }).start(order)).rejects.toThrow(
        /^Kubernetes: .*unknown field "spec\.template\.spec\.(toleration|containers\[0\]\.volumeMount)"/,
      );
    expect(api.jobs.has(order.name)).toBe(false);
  });

  it('takes a worker for ended as soon as its pod is, before its Job says so', async () => {
    const launcher = create();
    for (const [name, words] of Object.entries({ 'pods-0000002b': 'exit 0', 'pods-0000002c': 'exit 3' })) {
      await launcher.start({ name, environment: {}, command: ['sh', '-c', `sleep 0.3; ${words}`] });
      const phases = new Set<string>();
      const observe = async () => {
        const seen = (await launcher.observe([{ name, handle: name }])).get(name);
        phases.add(seen?.phase ?? 'gone');
        return api.jobs.get(name)?.status.conditions;
      };
      await expect.poll(observe, { interval: 20 }).toBeDefined();
      expect([...phases]).toEqual(['running', 'ended']);
    }
  });

  const quota = 'exceeded quota: gpus, requested: requests.nvidia.com/gpu=2, used: 7, limited: 8';
  const security = `violates PodSecurity "restricted:latest": ${'runAsNonRoot != true (…), '.repeat(30)}`;

  it('tells that a quota holds a worker back, which waits and starts once there is room', async () => {
    const launcher = create();
    const ref = { name: 'pods-0000000d', handle: 'pods-0000000d' };
    const seen = async () => (await launcher.observe([ref])).get(ref.name);
    api.admission = 'status unknown for quota: gpus, resources: pods';
    await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
    expect(await seen()).toMatchObject({ phase: 'pending', reason: api.admission });
    api.admission = quota;
    await expect.poll(() => (api.schedule(), seen())).toMatchObject({ phase: 'pending', reason: quota });
    api.admission = null;
    api.schedule();
    await expect.poll(async () => (await seen())?.phase).toBe('running');
    await launcher.stop(ref, true);
  });

  it('tells at once what will stand: Pod Security, a LimitRange, a webhook', async () => {
    const launcher = create();
    const limit = 'maximum memory usage per Container is 8Gi, but limit is 16Gi';
    const webhook = 'admission webhook "policy.example" denied the request: no such image';
    for (const [index, finding] of [security, limit, webhook].entries()) {
      const ref = { name: `pods-0000001${index}`, handle: `pods-0000001${index}` };
      api.admission = finding;
      await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
      const seen = (await launcher.observe([ref])).get(ref.name);
      expect(seen?.phase).toBe('refused');
      expect(seen?.reason.length).toBeLessThanOrEqual(400);
      expect(finding.startsWith(seen?.reason.replace(/…$/, '') ?? '-')).toBe(true);
      await launcher.stop(ref);
      expect((await launcher.observe([ref])).get(ref.name)).toBeUndefined();
    }
    api.admission = null;
  });

  it('observes workers where the Role grants no Events, and says which right would tell more', async () => {
    const launcher = create();
    const ref = { name: 'pods-0000000e', handle: 'pods-0000000e' };
    api.admission = security;
    api.withoutRight.add('events');
    await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
    expect((await launcher.observe([ref])).get(ref.name)).toMatchObject({
      phase: 'pending',
      reason: expect.stringContaining('`list` of `events`') as string,
    });
    api.withoutRight.clear();
    api.admission = null;
    await launcher.stop(ref);
  });

  it('asks for Events only where a Job has no pod', async () => {
    const launcher = create();
    const ref = { name: 'pods-0000000f', handle: 'pods-0000000f' };
    await launcher.start({ name: ref.name, environment: {}, command: ['sleep', '30'] });
    api.requests.length = 0;
    await launcher.observe([ref]);
    expect(api.requests.filter((path) => path.endsWith('/events'))).toEqual([]);
    await launcher.stop(ref, true);
  });
});

describeLauncher('the Slurm launcher, on a real controller with two nodes', missingSlurm(), () => {
  let slurm: Awaited<ReturnType<typeof startSlurm>>;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-nodes-'));
  const create = () =>
    createLauncher(parse({ name: 'cluster', driver: 'slurm', folder, logs: folder, worker: { server } }), '');
  beforeAll(async () => {
    slurm = await startSlurm();
  });
  afterAll(async () => {
    await slurm.stop();
    removeFolder(folder);
  });
  testLauncher(async () => ({
    name: 'cluster',
    create,
    publicText: async ({ handle }) =>
      `${await readCommandLines()}\n${slurm.run('scontrol', 'show', 'job', handle ?? '')}`,
    endOutside: async ({ handle }) => void slurm.run('scancel', handle ?? ''),
    stop: () => Promise.resolve(),
  }));

  it('tells why a job waits, withdraws it, and passes on why Slurm refuses', async () => {
    for (const node of slurm.nodes)
      slurm.run('scontrol', 'update', `nodename=${node}`, 'state=drain', 'reason=maintenance');
    const launcher = create();
    const name = 'cluster-0000000a';
    const ref = { name, handle: await launcher.start({ name, environment: {}, command: ['sleep', '30'] }) };
    await expect
      .poll(async () => (await launcher.observe([ref])).get(name)?.reason)
      .toMatch(/drained|down|busy/i);
    await launcher.stop(ref);
    await expect.poll(async () => (await launcher.observe([ref])).get(name)?.phase).toBe('ended');
    for (const node of slurm.nodes) slurm.run('scontrol', 'update', `nodename=${node}`, 'state=resume');
    const wrong = createLauncher(
      parse({ name: 'cluster', driver: 'slurm', options: ['--partition=none'], worker: { server } }),
      '',
    );
    await expect(wrong.start({ name: 'cluster-0000000b', environment: {}, command: [] })).rejects.toThrow(
      /invalid partition/i,
    );
  });

  // a worker is never started again by Slurm, so it ends where other jobs would wait for their next turn
  it.each(['main', 'spare'])('tells that a job was pre-empted in partition %s', async (partition) => {
    const options = [`--partition=${partition}`];
    const launcher = createLauncher(
      parse({ name: 'cluster', driver: 'slurm', folder, logs: folder, options, worker: { server } }),
      '',
    );
    const name = `cluster-preempted-${partition}`;
    const ref = { name, handle: await launcher.start({ name, environment: {}, command: ['sleep', '60'] }) };
    const observe = async () => (await launcher.observe([ref])).get(name);
    await expect.poll(async () => (await observe())?.phase).toBe('running');
    const node = /n\d/.exec((await observe())?.reason ?? '')?.[0] ?? '';
    const words = ['--partition=urgent', '--exclusive', `--nodelist=${node}`, '--output=/dev/null'];
    const urgent = slurm.run('sbatch', '--parsable', ...words, '--wrap=sleep 60').trim();
    await expect
      .poll(async () => (await observe())?.reason)
      .toBe(`it was pre-empted by another job of the cluster on ${node} (PREEMPTED)`);
    expect((await observe())?.phase).toBe('ended');
    slurm.run('scancel', urgent);
  });
});
