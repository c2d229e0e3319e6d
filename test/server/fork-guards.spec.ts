import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Artifact } from '../../apps/server/src/core/database/entities/artifact.js';
import { DeletedRunSweep } from '../../apps/server/src/core/artifacts/deleted-run-sweep.service.js';
import { ArtifactStore } from '../../apps/server/src/core/artifacts/store/artifact-store.js';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { CheckpointRetention } from '../../apps/server/src/core/runs/checkpoint-retention.service.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { call } from '../support/ask.js';
import { sha256Of } from '../support/held-attempt.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let server: TestServer;
let source: DataSource;
const workers: SimulatedWorker[] = [];

beforeAll(async () => {
  server = await startTestServer({ artifacts: { keepCheckpoints: 1 } });
  source = server.app.get(DataSource);
}, 60_000);
afterAll(async () => {
  for (const worker of workers) worker.close();
  await server.close();
});

const runs = (method: string, path: string, body?: unknown) =>
  call(server.url, server.adminKey, method, `/api/v1/runs${path}`, body);

const bandit = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
const nowhere = { needs: { labels: ['nowhere'] } };

async function make(more: object = nowhere): Promise<string> {
  const { body } = await runs('POST', '', { source: bandit, ...more });
  return String(body['id']);
}

const putCheckpoint = (runId: string, step: number): Promise<void> => insertCheckpoint(source, runId, step);

async function startWorker(name: string): Promise<SimulatedWorker> {
  const worker = new SimulatedWorker(server.url, server.workerKey, { name, labels: [name] });
  workers.push(worker);
  await worker.connect();
  return worker;
}

describe('a fork', () => {
  it('whose checkpoint is gone fails at its first attempt and never trains from anything else', async () => {
    const parent = await make();
    await putCheckpoint(parent, 2);
    const child = String((await runs('POST', `/${parent}/fork`, { needs: { labels: ['f1'] } })).body['id']);
    await source.getRepository(Artifact).delete({ runId: parent });
    const worker = await startWorker('f1');
    await waitFor('it has failed', async () => (await runs('GET', `/${child}`)).body['state'] === 'failed');
    expect((await runs('GET', `/${child}`)).body['message']).toBe(
      `start run ${child} from step 2 of run ${parent}: that checkpoint is no longer stored; fork from one that is, or create a new run`,
    );
    const attempts = await source.getRepository(Attempt).findBy({ runId: child });
    expect(attempts).toMatchObject([{ number: 1, state: 'ended', verdict: 'refused' }]);
    expect(worker.assignments).toEqual([]);
    const next = await make({ needs: { labels: ['f1'] } });
    expect(await worker.assigned(1)).toMatchObject({ runId: next, fork: null });
  });

  it('holds the checkpoint it began from until it has stored one of its own, however far it is', async () => {
    const parent = await make();
    for (const step of [1, 2, 3]) await putCheckpoint(parent, step);
    const child = String((await runs('POST', `/${parent}/fork`, { step: 1, ...nowhere })).body['id']);
    await source.getRepository(Run).update({ id: child }, { step: 1 });
    await runs('POST', `/${parent}/cancel`);
    const retention = server.app.get(CheckpointRetention);
    await retention.apply(parent);
    const stored = await source.getRepository(Artifact).findBy({ runId: parent });
    expect(stored.map(({ step }) => step).sort()).toEqual([1, 3]);
    expect(await runs('DELETE', `/${parent}`)).toMatchObject({
      status: 409,
      body: { code: 'run.not_possible' },
    });
    await putCheckpoint(child, 1);
    // nothing happens to the parent any more, so only the hourly sweep finds what may go now
    await retention.sweep();
    const left = await source.getRepository(Artifact).findBy({ runId: parent });
    expect(left.map(({ step }) => step)).toEqual([3]);
    const running = await make();
    for (const step of [1, 2]) await putCheckpoint(running, step);
    await retention.sweep();
    expect(await source.getRepository(Artifact).countBy({ runId: running })).toBe(2);
    expect((await runs('DELETE', `/${parent}`)).status).toBe(200);
    expect(await source.getRepository(Artifact).findBy({ runId: parent })).toEqual([]);
  });
});

describe('a fork with LoRA', () => {
  it('holds the checkpoint that it began with, and gets the alpha of a new rank', async () => {
    const parent = await make({ source: `${bandit}lora: { rank: 4 }\n`, ...nowhere });
    for (const step of [1, 2]) await putCheckpoint(parent, step);
    const overrides = ['lora.rank=16'];
    const { body } = await runs('POST', `/${parent}/fork`, { step: 1, overrides, ...nowhere });
    expect(body['spec']).toMatchObject({ lora: { rank: 16, alpha: 32 } });
    await putCheckpoint(String(body['id']), 1);
    await runs('POST', `/${parent}/cancel`);
    expect(await server.app.get(CheckpointRetention).apply(parent)).toEqual([]);
    expect(await runs('DELETE', `/${parent}`)).toMatchObject({
      status: 409,
      body: {
        code: 'run.not_possible',
        message: expect.stringContaining('with LoRA, and needs the checkpoint that it began with') as string,
      },
    });
  });
});

describe('a plan of a fork', () => {
  it('says where it would begin and what differs from its parent, and makes nothing', async () => {
    const parent = await make();
    for (const step of [1, 2]) await putCheckpoint(parent, step);
    const before = await source.getRepository(Run).count();
    const overrides = ['steps=9', 'algorithm.clipLow=0.1'];
    const { status, body } = await runs('POST', `/${parent}/fork/plan`, { step: 1, overrides });
    expect([status, body]).toMatchObject([
      200,
      {
        parentRunId: parent,
        parentStep: 1,
        forkPath: 'checkpoints/step-000001',
        steps: 9,
        name: expect.stringMatching(/ from 1$/) as string,
        project: 'default',
        differences: [
          { path: 'algorithm.clipLow', values: [0.2, 0.1] },
          { path: 'steps', values: [3, 9] },
        ],
        sources: { steps: '--set', seed: 'parent' },
      },
    ]);
    const inert = body['inert'] as { path: string; set: boolean }[];
    expect(inert.filter(({ set }) => set).map(({ path }) => path)).toEqual(['algorithm.clipLow']);
    expect(await source.getRepository(Run).count()).toBe(before);
    const made = (await runs('POST', `/${parent}/fork`, { step: 1, overrides, ...nowhere })).body;
    expect(made['specHash']).toBe(body['specHash']);
  });

  it('is refused as the fork would be', async () => {
    const parent = await make();
    const told = await runs('POST', `/${parent}/fork/plan`, {});
    expect([told.status, told.body['code']]).toEqual([409, 'run.not_possible']);
    await putCheckpoint(parent, 1);
    const wrong = await runs('POST', `/${parent}/fork/plan`, { overrides: ['stepz=1'] });
    expect([wrong.status, wrong.body['code']]).toEqual([422, 'config.unknown_key']);
  });
});

describe('bytes of a deleted run', () => {
  it('that a crash left go at the next start; those of unknown origin stay', async () => {
    const run = await make();
    await runs('POST', `/${run}/cancel`);
    expect((await runs('DELETE', `/${run}`)).status).toBe(200);
    const store = server.app.get(ArtifactStore);
    for (const id of [run, 'run-of-somebody-else'])
      await store.put(`runs/${id}/x`, Readable.from(['x']), { sha256: sha256Of('x') });
    expect(await server.app.get(DeletedRunSweep).sweep()).toEqual([run]);
    expect(await store.list('runs')).toEqual(['runs/run-of-somebody-else/x']);
  });
});

describe('a run with several attempts', () => {
  it('keeps what the first said of its place; each attempt has its own', async () => {
    const run = await make({ needs: { labels: ['both'] } });
    const begin = async (name: string): Promise<void> => {
      const worker = new SimulatedWorker(server.url, server.workerKey, { name, labels: ['both'] });
      await worker.connect();
      const given = await worker.assigned(1);
      await worker.begin(given);
      await runs('POST', `/${run}/pause`);
      await worker.end(given, 75);
      worker.close();
    };
    await begin('first');
    await waitFor('it is paused', async () => (await runs('GET', `/${run}`)).body['state'] === 'paused');
    await runs('POST', `/${run}/resume`);
    await begin('second');
    expect((await runs('GET', `/${run}`)).body['host']).toBe('host-first');
    const attempts = await source
      .getRepository(Attempt)
      .find({ where: { runId: run }, order: { id: 'ASC' } });
    expect(attempts.map(({ host }) => host)).toEqual(['host-first', 'host-second']);
  });
});

describe('cancelling a run', () => {
  it('ends its evaluations too, and those of a run that has ended', async () => {
    const run = await make();
    await putCheckpoint(run, 2);
    const evaluate = async (): Promise<string> =>
      String((await runs('POST', `/${run}/evaluate`, { episodes: 8 })).body['id']);
    const stateOf = async (id: string): Promise<unknown> =>
      (await call(server.url, server.adminKey, 'GET', `/api/v1/jobs/${id}`)).body['state'];
    const first = await evaluate();
    expect((await runs('POST', `/${run}/cancel`)).body).toMatchObject({ state: 'cancelled' });
    expect(await stateOf(first)).toBe('cancelled');
    await source.getRepository(Run).update({ id: run }, { state: 'finished' });
    const second = await evaluate();
    expect((await runs('POST', `/${run}/cancel`)).status).toBe(200);
    expect(await stateOf(second)).toBe('cancelled');
  });
});

describe('a run whose weights are on a remote engine', () => {
  it('is not forked, evaluated or asked without them, and forks that continue begin from them', async () => {
    const source = `${bandit.replace('grpo', 'grpo, dualClip: 0')}engine: { use: tinker, url: 'http://127.0.0.1:9', model: seedling }\n`;
    const parent = String((await runs('POST', '', { source, ...nowhere })).body['id']);
    await putCheckpoint(parent, 2);
    for (const [path, verb] of [
      ['fork', 'fork'],
      ['evaluate', 'evaluate'],
      ['chats', 'chat with'],
    ] as const) {
      const { status, body } = await runs('POST', `/${parent}/${path}`, {});
      expect([status, body['code']], path).toEqual([409, 'run.not_possible']);
      expect(body['message']).toContain(
        `${verb} run ${parent}: its weights are on http://127.0.0.1:9, the server that trained them`,
      );
    }
    const continued = await runs('POST', `/${parent}/fork`, { continue: true, ...nowhere });
    expect(continued).toMatchObject({ status: 201, body: { parentRunId: parent } });
  });
});
