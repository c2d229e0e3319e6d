import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KubernetesApi } from '../../../../../test/support/kubernetes-api.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { ReservedDevices } from '../scheduling/placement/reserved-devices.js';
import { LaunchedWorkers } from './launched-workers.js';
import { ScalingService } from './scaling.service.js';

let api: KubernetesApi;
let parts: JobParts;
let scaling: ScalingService;

beforeEach(async () => {
  api = await new KubernetesApi().start();
  const launcher = {
    name: 'pods',
    driver: 'kubernetes',
    namespace: 'lab',
    image: 'espalier',
    kubeconfig: api.kubeconfig,
    minimum: 1,
    maximum: 2,
    worker: { server: 'http://127.0.0.1:4500', command: ['sleep', '60'] },
  };
  parts = await createJobParts({ launchers: [launcher] } as never);
  const { source, launches, pool, rows, attempts, clock, options, queue, quotas } = parts;
  const keys = {
    create: () => Promise.resolve({ key: { id: 'key' }, secret: 'secret' }),
    discard: () => Promise.resolve(),
  };
  const workers = new LaunchedWorkers(launches, keys as never, pool, rows, attempts, clock, options);
  const reserved = new ReservedDevices(pool, clock, options);
  const cleanup = { forget: () => Promise.resolve() };
  scaling = new ScalingService(source, launches, workers, queue, reserved, quotas, cleanup as never, clock);
});
afterEach(async () => {
  await scaling.onModuleDestroy();
  await parts.close();
  await api.stop();
});

it('starts no worker before it has observed those of an earlier server', async () => {
  const { launches, clock } = parts;
  await launches.change(await launches.add('pods', 'p'), { state: 'stopping' });
  api.withoutRight.add('jobs');
  await scaling.start(4500);
  await waitFor('it has looked', () => launches.launcher('pods')?.problem !== '');
  await wait(700);
  expect(launches.workers('pods').map(({ state }) => state)).toEqual(['stopping']);
  api.withoutRight.clear();
  clock.pass(60_000);
  await waitFor('it starts the minimum', () =>
    launches.workers('pods').some(({ state }) => state === 'pending'),
  );
});
