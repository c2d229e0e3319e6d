/** @file The files of a plugin change on the disk of a real worker: which attempt of which run uses what. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type RunDetails } from '@espalier/client';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { runCli } from '../support/run-cli.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { writeTinyModel } from '../support/tiny-model.js';

const installation = fileURLToPath(new URL('../..', import.meta.url));
const main = join(installation, 'apps/cli/dist/main.js');
const folder = mkdtempSync(join(tmpdir(), 'espalier-plugin-change-'));
/** Against what never ends, not against a slow machine. */
const long = 600_000;
let server: TestServer;
let client: Client;
let worker: ChildProcess;
let spec: Record<string, unknown>;

/** Writes the reward `even`: the share of sampled tokens with an even id, and something on top that tells versions apart. */
function writeReward(version: string, onTop: number): void {
  const own = join(folder, 'plugins/rewards/even');
  mkdirSync(own, { recursive: true });
  const manifest = { name: 'even-of-somebody', version, type: 'module', exports: './index.js' };
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest));
  const source = `
    import { defineReward } from '@espalier/plugin-kit';
    import { z } from 'zod';
    export default defineReward({
      id: 'even',
      summary: 'Share of sampled tokens with an even id, plus ${onTop}.',
      params: z.strictObject({}),
      score: ({ tokens, turns }) => ({
        perTurn: turns.map(({ sampled: { start, end } }) => {
          const own = tokens.subarray(start, end);
          return ${onTop} + own.filter((id) => id % 2 === 0).length / own.length;
        }),
      }),
    });`;
  writeFileSync(join(own, 'index.js'), source);
}

beforeAll(async () => {
  symlinkSync(join(installation, 'node_modules'), join(folder, 'node_modules'), 'dir');
  for (const kind of readdirSync(join(installation, 'plugins'))) {
    mkdirSync(join(folder, 'plugins', kind), { recursive: true });
    for (const name of readdirSync(join(installation, 'plugins', kind)))
      symlinkSync(join(installation, 'plugins', kind, name), join(folder, 'plugins', kind, name), 'dir');
  }
  writeReward('1.0.0', 0);
  spec = {
    model: { path: writeTinyModel(join(folder, 'tiny')) },
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    rewards: [{ use: 'even' }],
    validation: { every: 0, episodes: 1 },
    rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 8 },
    checkpoint: { every: 1, keep: 2 },
    device: { threads: 1 },
  };
  server = await startTestServer({
    modelRoots: [folder],
    root: folder,
    retrySeconds: 0,
    heartbeatSeconds: 0.2,
    // a worker that gets no processor for seconds must not lose its job: what is killed here is the first attempt
    leaseSeconds: 300,
    minFreeMb: 0,
    stream: { flushMs: 20 },
  });
  client = createClient({ url: server.url, key: server.adminKey });
  const words = ['worker', '--server', server.url, '--name', 'w', '--slots', '1', '--on-stop', 'drain'];
  worker = spawn(process.execPath, [main, ...words, '--json', '--data', join(folder, 'worker')], {
    cwd: folder,
    env: {
      ...process.env,
      ESPALIER__WORKER__KEY: server.workerKey,
      ESPALIER__WORKER__GPUS: 'off',
      ESPALIER__WORKER__MODELROOTS: JSON.stringify([folder]),
      ESPALIER__WORKER__MINFREEMB: '0',
      ESPALIER__WORKER__TIMING__POLLMS: '30',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(worker.stdout as NonNullable<typeof worker.stdout>, 'data');
}, long);
afterAll(async () => {
  await client.dispose();
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
  await server.close();
  removeFolder(folder);
}, long);

const reached = async (id: string, holds: (run: RunDetails) => boolean): Promise<RunDetails> => {
  let run = await client.runs.get(id);
  await waitFor(
    `run ${id} is where it should be`,
    async () => holds((run = await client.runs.get(id))),
    long / 4,
  );
  return run;
};
const ask = async <T>(path: string, method = 'GET'): Promise<T> =>
  (await (await client.rest(`/api/v1/${path}`, { method })).json()) as T;
/** The version of the reward that each attempt of a run began with. */
const versionsOf = async (runId: string): Promise<(string | undefined)[]> => {
  const attempts = server.app.get(DataSource).getRepository(Attempt);
  const found = await attempts.find({ where: { runId }, order: { number: 'ASC' } });
  return found.map(({ plugins }) => plugins?.find(({ id }) => id === 'even')?.version);
};
const countRewards = async (runId: string, minReward: number): Promise<number> =>
  (await client.trajectories.list(runId, { minReward, split: 'train' }, { first: 500 })).items.length;

describe('a plugin whose files change on a worker', () => {
  it(
    'stays as it was for the job that runs, holds up its next try until it is accepted, and is new for new runs',
    async () => {
      const { id } = await client.runs.create({ spec: { ...spec, steps: 5000 } });
      const { step, attempts } = await reached(id, (run) => (run.step ?? 0) >= 2);

      writeReward('2.0.0', 10);
      await ask('plugins/reload', 'POST');
      await reached(id, (run) => (run.step ?? 0) >= (step ?? 0) + 3);
      expect(await countRewards(id, 5)).toBe(0);

      const pid = attempts[0]?.pid;
      if (!pid) throw new Error(`run ${id} has no process`);
      process.kill(pid, 'SIGKILL');
      const waiting = await reached(id, ({ jobs }) => jobs[0]?.whyWaiting?.includes('even') === true);
      expect(waiting.state).toBe('queued');
      expect(waiting.jobs[0]?.whyWaiting).toMatch(
        /^The worker "w" has reward even 2\.0\.0 \(\w+\), the run started with 1\.0\.0 \(\w+\): .* --accept-plugins/,
      );
      expect(waiting.jobs[0]?.failures).toBe(1);

      const fresh = await client.runs.create({ spec: { ...spec, steps: 2 } });
      await reached(fresh.id, ({ state }) => state === 'finished');
      expect(await versionsOf(fresh.id)).toEqual(['2.0.0']);
      expect(await countRewards(fresh.id, 10)).toBe(16);

      const words = ['run', 'resume', id, '--accept-plugins', '--server', server.url];
      const { code, stderr } = await runCli(words, { env: { ESPALIER_KEY: server.adminKey } });
      expect([code, stderr]).toEqual([0, '']);
      const before = (await client.runs.get(id)).step ?? 0;
      const again = await reached(id, (run) => run.state === 'running' && (run.step ?? 0) > before);
      expect(again.attempts.at(-1)?.startStep).toBeGreaterThan(0);
      const versions = await versionsOf(id);
      expect([versions[0], versions.at(-1)]).toEqual(['1.0.0', '2.0.0']);
      await waitFor('it has learnt with the new one', async () => (await countRewards(id, 10)) > 0, long / 4);
      const { items: alerts } = await ask<{ items: { code: string; runId: string }[] }>('alerts');
      expect(alerts.filter(({ runId }) => runId === id).map(({ code }) => code)).toContain('plugin.changed');
      await client.runs.cancel(id, { now: true });
      await reached(id, ({ state }) => state === 'cancelled');
    },
    long,
  );
});
