import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '@espalier/files';
import { attemptEvent } from '@espalier/protocol';
import { waitFor } from '@espalier/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';
import { weightsOf } from '../support/sprout.js';
import { WorkerBench } from '../support/worker-bench.js';

const bench = new WorkerBench();
const { server, root } = bench;
const long = 240_000;
beforeAll(async () => void (await bench.open()), long);
afterEach(() => bench.closeWorkers(), long);
afterAll(() => bench.close(), long);

const storedWeights = (runId: string, step = 24): string | undefined =>
  server.artifacts.get(runId)?.get(weightsOf(step))?.sha256;

describe('a worker with a job', () => {
  it(
    'trains as the command line does, and the server has every event and every file',
    async () => {
      await bench.worker('whole');
      const given = { attemptId: 'w1', runId: 'whole', spec: bench.spec };
      expect(await server.assign('whole', given)).toEqual({ ok: true, value: null });
      await bench.ended('w1');
      expect(bench.exitStatus('w1')).toMatchObject({ code: 0, signal: null });
      expect(bench.exitStatus('w1')).not.toHaveProperty('isFinal');
      expect([...new Set(bench.stepsOf('w1'))]).toEqual([...Array(25).keys()]);
      expect(server.repeated).toBe(0);
      for (const stream of ['trainer', 'log', 'worker'] as const)
        for (const event of server.events('w1', stream)) attemptEvent.parse(event);
      expect(server.events('w1', 'worker').at(-1)?.kind).toBe('process-ended');
      const [started] = server.find('w1', 'process-started');
      expect(started?.plugins.map(({ id }) => id)).toEqual(expect.arrayContaining(['bandit', 'ppo']));
      expect(started?.versions).toHaveProperty('onnxruntime-node');
      const files = server.artifacts.get('whole');
      expect(storedWeights('whole')).toBe(bench.plainHash);
      const run = join(root, 'whole', 'runs', 'whole');
      const trajectories = readdirSync(join(run, 'trajectories')).map((name) => `trajectories/${name}`);
      expect(trajectories).toHaveLength(25);
      for (const path of [...trajectories, 'spec.json', 'metrics.jsonl', 'events.jsonl'])
        expect([path, files?.get(path)?.sha256]).toEqual([path, hashFile(join(run, path))]);
      const told = server.find('w1', 'artifact').map(({ path }) => path);
      expect([...new Set(told)].sort()).toEqual(server.paths('whole'));
      await waitFor('the outbox is gone', () => !existsSync(join(root, 'whole', 'attempts', 'w1')));
    },
    long,
  );

  it(
    'saves and stops when paused, and goes on bit for bit on another host',
    async () => {
      await bench.worker('first');
      await server.assign('first', { attemptId: 'p1', runId: 'moved', spec: bench.spec });
      await bench.reached('p1', 3);
      await server.control('first', 'p1', 'pause');
      await bench.ended('p1');
      expect(bench.exitStatus('p1')).toMatchObject({ code: 75, signal: null });
      expect(bench.exitStatus('p1')).not.toHaveProperty('isFinal');
      const resume = bench.newestStored('moved');
      expect(resume.step).toBeGreaterThanOrEqual(3);
      await bench.worker('second');
      await server.assign('second', { attemptId: 'p2', runId: 'moved', number: 2, spec: bench.spec, resume });
      await bench.ended('p2');
      expect(bench.exitStatus('p2')).toMatchObject({ code: 0 });
      expect(server.find('p2', 'warning')).toEqual([]);
      expect(bench.firstIterationOf('p2')).toBe(resume.step + 1);
      expect(storedWeights('moved')).toBe(bench.plainHash);
      const [here, there] = ['second', 'first'].map((name) => join(root, name, 'runs', 'moved'));
      expect(hashFile(join(here ?? '', weightsOf(24)))).toBe(bench.plainHash);
      const early = 'trajectories/step-000002.jsonl.gz';
      expect(hashFile(join(here ?? '', early))).toBe(hashFile(join(there ?? '', early)));
    },
    long,
  );

  if (isLong)
    it(
      'goes on on another host with the adapter that it began with, even if the run that saved that has gone on',
      async () => {
        const spec = { ...bench.spec, lora: { rank: 4 }, checkpoint: { every: 2, keep: 1 } };
        const adapters = join(root, 'adapters');
        const train = async (given: object, ...words: string[]): Promise<void> => {
          writeFileSync(join(root, 'lora.yaml'), JSON.stringify(given));
          const { code, stderr } = await runCli(['train', join(root, 'lora.yaml'), ...words]);
          expect([code, stderr]).toEqual([0, expect.any(String)]);
        };
        await train({ ...spec, steps: 2 }, '--out', adapters);
        const child = { ...spec, model: { path: adapters } };
        await train(child, '--out', join(root, 'plain-lora'));
        await bench.worker('third');
        await server.assign('third', { attemptId: 'l1', runId: 'adapted', spec: child });
        await bench.reached('l1', 3);
        await server.control('third', 'l1', 'pause');
        await bench.ended('l1');
        const resume = bench.newestStored('adapted');
        expect(resume.step).toBeLessThan(24);
        await train({ ...spec, steps: 4 }, '--out', adapters, '--resume');
        await bench.worker('fourth');
        await server.assign('fourth', { attemptId: 'l2', runId: 'adapted', number: 2, spec: child, resume });
        await bench.ended('l2');
        expect(bench.exitStatus('l2')).toMatchObject({ code: 0 });
        const file = 'checkpoints/step-000024/policy/adapter_model.safetensors';
        const [there, plain] = [join(root, 'fourth/runs/adapted'), join(root, 'plain-lora')];
        expect(hashFile(join(there, file))).toBe(hashFile(join(plain, file)));
      },
      long,
    );

  it(
    'tells when the process was killed, and goes on from the stored checkpoint alone',
    async () => {
      await bench.worker('killed');
      await server.assign('killed', { attemptId: 'k1', runId: 'killed', spec: bench.spec });
      await waitFor('a checkpoint is stored', () => bench.newestStored('killed').step >= 4, 150_000);
      await server.control('killed', 'k1', 'kill');
      await bench.ended('k1');
      expect(bench.exitStatus('k1')).toMatchObject({ code: null, signal: 'SIGKILL' });
      expect(bench.exitStatus('k1')).not.toHaveProperty('isFinal');
      const files = server.artifacts.get('killed');
      for (const path of server.paths('killed')) if (!path.startsWith('checkpoints/')) files?.delete(path);
      await bench.worker('bare');
      const resume = bench.newestStored('killed');
      await server.assign('bare', { attemptId: 'k2', runId: 'killed', number: 2, spec: bench.spec, resume });
      await bench.ended('k2');
      expect(bench.exitStatus('k2')).toMatchObject({ code: 0 });
      expect(hashFile(join(root, 'bare', 'runs', 'killed', weightsOf(24)))).toBe(bench.plainHash);
    },
    long,
  );

  it(
    'ends, and is not tried again, when it uses more memory than its limit',
    async () => {
      await bench.worker('small', { jobMemoryMb: 1_000_000 });
      const spec = { ...bench.spec, device: { memoryMb: 50 } };
      await server.assign('small', { attemptId: 'm1', runId: 'hungry', spec });
      await bench.ended('m1');
      const exit = bench.exitStatus('m1');
      expect(exit).toMatchObject({ code: 5, signal: null, isFinal: true });
      expect(exit?.message).toMatch(
        /^error worker\.memory_exceeded: train: .* used \d+ MiB, the limit is 50 MiB \(device\.memoryMb\); lower update\.microBatchTokens, .*raise it$/,
      );
      const warnings = server.find('m1', 'warning');
      expect(warnings).toMatchObject([
        { code: 'worker.memory_exceeded', message: expect.stringMatching(/^train: /) as string },
      ]);
    },
    long,
  );

  it(
    'says that every retry would end the same way when nothing was left to learn from',
    async () => {
      await bench.worker('barren');
      const silent = {
        rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 1 },
        validation: { every: 0, episodes: 2 },
      };
      const spec = { ...bench.spec, ...silent, algorithm: { use: 'grpo' } };
      await server.assign('barren', { attemptId: 'n1', runId: 'barren', spec });
      await bench.ended('n1');
      expect(bench.exitStatus('n1')).toMatchObject({ code: 5, signal: null, isFinal: true });
      expect(server.find('n1', 'run-ended')).toMatchObject([{ outcome: 'no-signal' }]);
      expect(bench.newestStored('barren').step).toBe(5);
    },
    long,
  );

  it(
    'says that the collapse monitor paused the run, which then goes on elsewhere',
    async () => {
      await bench.worker('watched');
      // a limit that any drift passes
      const monitor = {
        patience: 1,
        rules: { 'update-drift': { warning: 0 } },
        onWarning: { action: 'pause' },
      };
      const spec = { ...bench.spec, steps: 6, update: { epochs: 2 }, monitor };
      await server.assign('watched', { attemptId: 'p7', runId: 'watched', spec });
      await bench.ended('p7');
      expect(bench.exitStatus('p7')).toMatchObject({ code: 75, isPaused: true });
      expect(bench.exitStatus('p7')?.message).toMatch(/monitor paused the run at step 1 of 6 \(update-drift/);
      expect(server.find('p7', 'run-ended')).toMatchObject([{ outcome: 'paused', step: 1 }]);
      expect(server.find('p7', 'monitor')).toMatchObject([{ action: 'pause', state: 'warning' }]);
      await bench.worker('beside');
      const resume = bench.newestStored('watched');
      expect(resume.step).toBe(1);
      await server.assign('beside', { attemptId: 'p8', runId: 'watched', number: 2, spec, resume });
      await bench.ended('p8');
      expect(bench.exitStatus('p8')).toMatchObject({ code: 0 });
      expect(bench.exitStatus('p8')).not.toHaveProperty('isPaused');
    },
    long,
  );

  it(
    'measures a checkpoint of another host',
    async () => {
      const { path, step } = bench.newestStored('whole');
      await bench.worker('measure');
      const evaluate = { path, episodes: 6, split: 'test' as const };
      await server.assign('measure', {
        attemptId: 'e1',
        runId: 'whole',
        kind: 'evaluate',
        spec: bench.spec,
        evaluate,
      });
      await bench.ended('e1');
      expect(bench.exitStatus('e1')).toMatchObject({ code: 0 });
      const [evaluated] = server.find('e1', 'evaluated');
      expect(evaluated).toMatchObject({ step, result: { episodes: 6, model: path } });
      // what the worker sends names no place on its machine
      for (const attempt of server.attempts.values())
        expect(JSON.stringify(attempt.streams)).not.toContain(`${bench.root}/measure`);
    },
    long,
  );

  if (isLong)
    it(
      'begins another run from a checkpoint, on any host',
      async () => {
        const { path } = bench.newestStored('whole');
        await bench.worker('measure');
        const spec = { ...bench.spec, seed: 1, steps: 6 };
        const fork = { runId: 'whole', path, continues: false };
        await server.assign('measure', { attemptId: 'f1', runId: 'forked', jobId: 'fork', spec, fork });
        await bench.reached('f1', 3);
        await server.control('measure', 'f1', 'pause');
        await bench.ended('f1');
        const resume = bench.newestStored('forked');
        await bench.worker('elsewhere');
        const again = { attemptId: 'f2', runId: 'forked', jobId: 'fork', number: 2, spec, resume };
        await server.assign('elsewhere', again);
        await bench.ended('f2');
        expect(bench.exitStatus('f2')).toMatchObject({ code: 0 });
        await server.assign('measure', { attemptId: 'f3', runId: 'straight', jobId: 'straight', spec, fork });
        await bench.ended('f3');
        expect(storedWeights('forked', 6)).toBe(storedWeights('straight', 6));
      },
      long,
    );

  it(
    'ends a process that does not stop in time, and one that was refused says why',
    async () => {
      await bench.worker('ending', { timing: { pollMs: 30, graceMs: 0 } });
      const spec = { ...bench.spec, rollout: { promptsPerStep: 64, groupSize: 8, maxResponseTokens: 60 } };
      await server.assign('ending', { attemptId: 'c1', runId: 'cancelled', spec });
      await waitFor('it works', () => server.find('c1', 'phase').length > 0);
      await server.control('ending', 'c1', 'cancel');
      await bench.ended('c1');
      expect(bench.exitStatus('c1')).toMatchObject({ code: null, signal: 'SIGKILL' });
      await server.assign('ending', { attemptId: 'c2', runId: 'refused', spec: { ...spec, stepz: 1 } });
      await bench.ended('c2');
      expect(bench.exitStatus('c2')?.code).toBe(3);
      expect(bench.exitStatus('c2')).not.toHaveProperty('isFinal');
      expect(bench.exitStatus('c2')?.message).toMatch(/unknown key stepz; did you mean steps/);
      const logged = server
        .find('c2', 'log')
        .map(({ text }) => text)
        .join('\n');
      expect(logged).toContain('config.unknown_key');
    },
    long,
  );

  it(
    'refuses what it cannot do, with code and sentence',
    async () => {
      await bench.worker('full');
      const { spec } = bench;
      await server.assign('full', { attemptId: 'r1', runId: 'r', spec });
      const device = (server.hellos.at(-1)?.devices ?? [])[0];
      expect(await server.assign('full', { attemptId: 'r2', runId: 'other', spec })).toMatchObject({
        ok: false,
        code: 'worker.busy',
        message: 'start a job: device "cpu-0" is in use',
      });
      const devices = [{ ...device, id: 'cpu-7' }] as never;
      expect(await server.assign('full', { attemptId: 'r3', runId: 'other', spec, devices })).toMatchObject({
        code: 'worker.no_device',
      });
      expect(await server.assign('full', { attemptId: 'r1', runId: 'r', spec })).toMatchObject({ ok: true });
      expect(await server.assign('full', { attemptId: '', runId: 'r', spec })).toMatchObject({
        code: 'worker.malformed_message',
      });
      await bench.worker('tight', { minFreeMb: 1e9 });
      expect(await server.assign('tight', { attemptId: 'r4', runId: 'other', spec })).toMatchObject({
        code: 'worker.disk_full',
      });
    },
    long,
  );
});
