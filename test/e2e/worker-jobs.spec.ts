import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptEvent } from '@espalier/protocol';
import { type Log, startWorker, type Worker } from '@espalier/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { waitUntil, WorkerServer } from '../support/worker-server.js';

let root: string;
let spec: Record<string, unknown>;
let plainHash: string;
let server: WorkerServer;
let workers: Worker[] = [];

const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const tempo = {
  pollMs: 30,
  reconnectMinMs: 30,
  reconnectMaxMs: 200,
  ackTimeoutMs: 3000,
  transferRetryMs: 50,
};
const weights = 'policy/model.safetensors';
const lastCheckpoint = 'checkpoints/step-000024';
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-worker-'));
  spec = sproutSpec(await makeSprout(root));
  writeFileSync(join(root, 'spec.yaml'), JSON.stringify(spec));
  const plain = join(root, 'plain');
  const { code } = await runCli([
    'train',
    join(root, 'spec.yaml'),
    '--out',
    plain,
    '--set',
    'device.threads=1',
  ]);
  expect(code).toBe(0);
  plainHash = hashOf(join(plain, lastCheckpoint, weights));
  server = await new WorkerServer().start();
}, 120_000);
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close({ jobs: 'pause' })));
  workers = [];
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

async function open(name: string, more: object = {}): Promise<Worker> {
  const options = { server: server.url, key: server.key, name, data: join(root, name), gpus: 'off', tempo };
  const worker = await startWorker({ ...options, minFreeMb: 0, ...more } as never, { log: quiet });
  workers.push(worker);
  await waitUntil(`${name} is connected`, () => worker.isOnline());
  return worker;
}
const metricsOf = (attemptId: string): number[] => server.find(attemptId, 'metrics').map(({ step }) => step);
const ending = (attemptId: string) => server.find(attemptId, 'process-ended')[0];
const ended = (attemptId: string): Promise<void> =>
  waitUntil(`${attemptId} has ended`, () => ending(attemptId) !== undefined);
const newestStored = (runId: string): { step: number; path: string } => {
  const path =
    server
      .paths(runId)
      .filter((name) => name.endsWith('/manifest.json'))
      .at(-1) ?? '';
  return { step: Number(/step-(\d+)/.exec(path)?.[1]), path: path.replace('/manifest.json', '') };
};

describe('a worker with a job', () => {
  it('trains as the command line does, and the server has every event and every file', async () => {
    await open('whole');
    expect(await server.assign('whole', { attemptId: 'w1', runId: 'whole', spec })).toEqual({
      ok: true,
      value: null,
    });
    await ended('w1');
    expect(ending('w1')).toMatchObject({ code: 0, signal: null });
    expect([...new Set(metricsOf('w1'))]).toEqual([...Array(25).keys()]);
    expect(server.repeated).toBe(0);
    for (const stream of ['trainer', 'log', 'worker'] as const)
      for (const event of server.events('w1', stream)) attemptEvent.parse(event);
    expect(server.events('w1', 'worker').at(-1)?.kind).toBe('process-ended');
    const [started] = server.find('w1', 'process-started');
    expect(started?.plugins.map(({ id }) => id)).toContain('bandit');
    expect(started?.versions).toHaveProperty('onnxruntime-node');
    const files = server.artifacts.get('whole');
    expect(files?.get(`${lastCheckpoint}/${weights}`)?.sha256).toBe(plainHash);
    const run = join(root, 'whole', 'runs', 'whole');
    for (const name of readdirSync(join(run, 'trajectories')))
      expect(files?.get(`trajectories/${name}`)?.sha256).toBe(hashOf(join(run, 'trajectories', name)));
    expect(files?.get('spec.json')?.sha256).toBe(hashOf(join(run, 'spec.json')));
    const told = server.find('w1', 'artifact').map(({ path }) => path);
    expect([...new Set(told)].sort()).toEqual(server.paths('whole'));
    await waitUntil('the spool is gone', () => !existsSync(join(root, 'whole', 'attempts', 'w1')));
  }, 120_000);

  it('saves and stops when paused, and goes on bit for bit on another host', async () => {
    await open('first');
    await server.assign('first', { attemptId: 'p1', runId: 'moved', spec });
    await waitUntil('some steps are done', () => metricsOf('p1').includes(3));
    await server.control('first', 'p1', 'pause');
    await ended('p1');
    expect(ending('p1')).toMatchObject({ code: 75, signal: null });
    const resume = newestStored('moved');
    expect(resume.step).toBeGreaterThanOrEqual(3);
    await open('second');
    await server.assign('second', { attemptId: 'p2', runId: 'moved', number: 2, spec, resume });
    await ended('p2');
    expect(ending('p2')).toMatchObject({ code: 0 });
    expect(server.find('p2', 'warning')).toEqual([]);
    expect(metricsOf('p2').find((step) => step > resume.step)).toBe(resume.step + 1);
    expect(server.artifacts.get('moved')?.get(`${lastCheckpoint}/${weights}`)?.sha256).toBe(plainHash);
    expect(hashOf(join(root, 'second', 'runs', 'moved', lastCheckpoint, weights))).toBe(plainHash);
  }, 120_000);

  it('tells when the process was killed, and goes on from the stored checkpoint alone', async () => {
    await open('killed');
    await server.assign('killed', { attemptId: 'k1', runId: 'killed', spec });
    await waitUntil('a checkpoint is stored', () =>
      server.paths('killed').some((path) => /step-000004\/manifest/.test(path)),
    );
    await server.control('killed', 'k1', 'kill');
    await ended('k1');
    expect(ending('k1')).toMatchObject({ code: null, signal: 'SIGKILL' });
    const files = server.artifacts.get('killed');
    for (const path of server.paths('killed')) if (!path.startsWith('checkpoints/')) files?.delete(path);
    await open('bare');
    const resume = newestStored('killed');
    await server.assign('bare', { attemptId: 'k2', runId: 'killed', number: 2, spec, resume });
    await ended('k2');
    expect(ending('k2')).toMatchObject({ code: 0 });
    expect(hashOf(join(root, 'bare', 'runs', 'killed', lastCheckpoint, weights))).toBe(plainHash);
  }, 120_000);
});
