/** Runs on a server of the Tinker API that wants a key, on a worker: the key reaches one server, and forks continue there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyExit } from '@espalier/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { type ServedEngine, serveEngine } from '../support/served-engine.js';
import { WorkerBench } from '../support/worker-bench.js';

const key = 'tml-secret';
const long = 240_000;
const bench = new WorkerBench();
let engine: ServedEngine;
beforeAll(async () => {
  [engine] = await Promise.all([serveEngine(join(bench.root, 'engine'), { key }), bench.server.start()]);
}, long);
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  engine.process.kill('SIGTERM');
  await bench.close();
}, long);

const spec = (): Record<string, unknown> => ({
  seed: 5,
  steps: 1,
  model: { use: 'seedling' },
  engine: { use: 'tinker', url: engine.url, model: 'seedling' },
  environment: { use: 'bandit' },
  algorithm: { use: 'grpo', dualClip: 0 },
  rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 16 },
  validation: { every: 0, atStart: false, atEnd: true, episodes: 2 },
  checkpoint: { every: 1 },
});

/** Lets a worker that has the key and the URL run the spec, and returns how that ended. */
async function train(name: string, url: string): Promise<ReturnType<WorkerBench['exitStatus']>> {
  vi.stubEnv('TINKER_API_KEY', key);
  vi.stubEnv('TINKER_BASE_URL', url);
  await bench.worker(name);
  expect(await bench.server.assign(name, { attemptId: name, runId: name, spec: spec() })).toMatchObject({
    ok: true,
  });
  await bench.ended(name);
  return bench.exitStatus(name);
}

describe('a run on a remote engine, on a worker', () => {
  it(
    'is trained with the key of that server, and a fork continues from the weights there',
    async () => {
      expect(await train('paired', engine.url)).toMatchObject({ code: 0 });
      expect(bench.stepsOf('paired')).toContain(1);
      const run = join(bench.root, 'paired', 'runs', 'paired');
      const fork = join(bench.root, 'fork');
      const words = ['train', '--fork', `${run}@1`, '--set', 'steps=2', '--out', fork];
      const { code, stderr } = await callCli(words, { env: { TINKER_API_KEY: key } });
      expect(code, stderr).toBe(0);
      const rows = readFileSync(join(fork, 'metrics.jsonl'), 'utf8').trim().split('\n');
      expect(rows.map((row) => (JSON.parse(row) as { readonly step: number }).step)).toContain(2);
    },
    long,
  );

  it(
    'is never sent the key where the worker was given another server, and not tried again',
    async () => {
      const ended = await train('other', 'http://127.0.0.1:9');
      expect(ended).toMatchObject({ code: 77 });
      expect(ended?.message).toMatch(/401, no key was sent; set TINKER_API_KEY, and TINKER_BASE_URL/);
      expect(classifyExit(77, null)).toBe('refused');
    },
    long,
  );
});
