import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '@espalier/files';
import { startWorker } from '@espalier/worker';
import { waitFor } from '@espalier/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { weightsOf } from '../support/sprout.js';
import { WorkerBench } from '../support/worker-bench.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-main.js';

const bench = new WorkerBench();
const { server, root } = bench;
const long = 240_000;
const spawned: WorkerProcess[] = [];
beforeAll(async () => void (await bench.open()), long);
afterEach(async () => {
  await bench.closeWorkers();
  for (const { child, kill } of spawned.splice(0))
    if (child.exitCode === null && child.signalCode === null) await kill();
}, long);
afterAll(() => bench.close(), long);

const spawnOne = async (name: string): Promise<WorkerProcess> => {
  const worker = await spawnWorker(bench.optionsOf(name));
  spawned.push(worker);
  await waitFor(`${name} is connected`, () => server.isConnected(name));
  return worker;
};
const isThere = (pid = 0): boolean => isAlive({ pid, started: null });
/** Lines of an outbox: more than the server has while the worker is away. */
const linesOf = (name: string, attemptId: string): number =>
  readFileSync(join(root, name, 'attempts', attemptId, 'trainer.jsonl'), 'utf8').split('\n').length - 1;
const expectWhole = (attemptId: string, runId: string): void => {
  expect(bench.exitStatus(attemptId)).toMatchObject({ code: 0 });
  expect([...new Set(bench.stepsOf(attemptId))]).toEqual([...Array(25).keys()]);
  expect(server.find(attemptId, 'run-started')).toHaveLength(1);
  expect(server.find(attemptId, 'run-ended')).toHaveLength(1);
  expect(server.find(attemptId, 'process-started')).toHaveLength(1);
  const ids = server.find(attemptId, 'trajectory').map(({ row }) => row.id);
  expect(ids).toHaveLength(new Set(ids).size);
  expect(server.artifacts.get(runId)?.get(weightsOf(24))?.sha256).toBe(bench.plainHash);
};

if (isLong)
  describe('a worker that is older than its server', () => {
    it(
      'ends with the reason, and leaves its process to a worker of the right version',
      async () => {
        const older = await spawnOne('aged');
        await server.assign('aged', { attemptId: 'o1', runId: 'aged', spec: bench.spec });
        await bench.reached('o1', 2);
        const [pid] = server.find('o1', 'process-started').map((event) => event.pid);
        await server.stop();
        const spoken = server.protocol;
        server.protocol = spoken + 1;
        await server.start();
        await waitFor('it has ended', () => older.child.exitCode !== null);
        expect(older.errors()).toMatch(/worker\.protocol_mismatch.*install the same version/);
        expect(isThere(pid)).toBe(true);
        server.protocol = spoken;
        await spawnOne('aged');
        await bench.ended('o1');
        expectWhole('o1', 'aged');
      },
      long,
    );
  });

describe('a worker that is killed', () => {
  it(
    'leaves its process working, and the next worker takes it up',
    async () => {
      const first = await spawnOne('reborn');
      await server.assign('reborn', { attemptId: 'a1', runId: 'reborn', spec: bench.spec });
      await bench.reached('a1', 2);
      await first.kill();
      const [pid] = server.find('a1', 'process-started').map((event) => event.pid);
      const before = linesOf('reborn', 'a1');
      await waitFor('training has gone on alone', () => linesOf('reborn', 'a1') > before);
      expect(isThere(pid)).toBe(true);
      const known = server.events('a1', 'trainer').length;
      await spawnOne('reborn');
      await bench.ended('a1');
      expect(server.events('a1', 'trainer').length).toBeGreaterThan(known);
      expectWhole('a1', 'reborn');
      await waitFor('the outbox is gone', () => readdirSync(join(root, 'reborn', 'attempts')).length === 0);
    },
    long,
  );

  if (isLong)
    it(
      'learns from files how a process ended that it never saw',
      async () => {
        const first = await spawnOne('late');
        await server.assign('late', { attemptId: 'b1', runId: 'late', spec: bench.spec });
        await bench.reached('b1', 1);
        await first.kill();
        const exit = join(root, 'late', 'attempts', 'b1', 'exit');
        await waitFor('training is over', () => existsSync(exit), 150_000);
        await spawnOne('late');
        await bench.ended('b1');
        expectWhole('b1', 'late');
      },
      long,
    );
});

describe('a server that is away', () => {
  it(
    'does not hold up training, and has everything once when it is back',
    async () => {
      await bench.worker('patient');
      await server.assign('patient', { attemptId: 's1', runId: 'patient', spec: bench.spec });
      await bench.reached('s1', 2);
      await server.stop();
      const before = linesOf('patient', 's1');
      await waitFor('training has gone on alone', () => linesOf('patient', 's1') > before + 20);
      await server.start();
      await bench.ended('s1');
      expectWhole('s1', 'patient');
    },
    long,
  );

  if (isLong)
    it(
      'may go and come many times',
      async () => {
        await bench.worker('shaken');
        await server.assign('shaken', { attemptId: 's2', runId: 'shaken', spec: bench.spec });
        for (let time = 0; time < 10 && bench.exitStatus('s2') === undefined; time += 1) {
          await new Promise((resolve) => setTimeout(resolve, 150 + 40 * time));
          await server.stop();
          await server.start();
        }
        await bench.ended('s2');
        expectWhole('s2', 'shaken');
      },
      long,
    );
});

describe('an attempt that belongs to somebody else', () => {
  it(
    'is killed and forgotten, and what it made is not gone on from',
    async () => {
      const worker = await bench.worker('lost');
      await server.assign('lost', { attemptId: 'l1', runId: 'lost', spec: bench.spec });
      await waitFor('a checkpoint is stored', () => bench.newestStored('lost').step >= 4, 150_000);
      const resume = bench.newestStored('lost');
      const [pid] = server.find('l1', 'process-started').map((event) => event.pid);
      server.fence('l1');
      await waitFor('it is given up', () => worker.fencedCount() === 1);
      expect(isThere(pid)).toBe(false);
      expect(readdirSync(join(root, 'lost', 'attempts'))).toEqual([]);
      const known = server.events('l1', 'trainer').length;
      await server.assign('lost', { attemptId: 'l2', runId: 'lost', number: 2, spec: bench.spec, resume });
      await bench.ended('l2');
      expect(bench.firstIterationOf('l2')).toBe(resume.step + 1);
      expect(server.events('l1', 'trainer')).toHaveLength(known);
      expect(server.artifacts.get('lost')?.get(weightsOf(24))?.sha256).toBe(bench.plainHash);
    },
    long,
  );

  if (isLong)
    it(
      'is killed as well when its worker comes back too late',
      async () => {
        const first = await spawnOne('stale');
        await server.assign('stale', {
          attemptId: 'l3',
          runId: 'stale',
          spec: { ...bench.spec, steps: 2000 },
        });
        await bench.reached('l3', 1);
        await first.kill();
        server.fence('l3');
        const [pid] = server.find('l3', 'process-started').map((event) => event.pid);
        expect(isThere(pid)).toBe(true);
        await spawnOne('stale');
        await waitFor('it is killed', () => !isThere(pid));
        await waitFor('it is forgotten', () => readdirSync(join(root, 'stale', 'attempts')).length === 0);
      },
      long,
    );
});

describe('a worker that the server does not want', () => {
  it.each([
    ['its key', { key: 'another' }, 'worker.unauthorized', /set a key with the role worker/],
    ['a data folder in use', { data: join(root, 'taken') }, 'worker.data_in_use', /another data folder/],
  ])(
    'ends with a clear error for %s',
    async (_what, change, code, sentence) => {
      await bench.worker('taken');
      const started = startWorker(bench.optionsOf('unwanted', change) as never);
      const ended = started.then(async (worker) => worker.ended.finally(() => worker.close()));
      await expect(ended).rejects.toMatchObject({
        code,
        message: expect.stringMatching(sentence) as unknown,
      });
    },
    long,
  );

  it(
    'ends with a clear error for its protocol',
    async () => {
      server.protocol = 7;
      const worker = await startWorker(bench.optionsOf('foreign') as never);
      const ended = worker.ended.finally(() => worker.close());
      await expect(ended).rejects.toThrow(
        /speaks protocol 1: the server speaks protocol 7; install the same version/,
      );
      server.protocol = 1;
    },
    long,
  );
});
