/** @file A worker that drains hands its run to another one: nothing is lost, and the weights are those of an undisturbed run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type RunDetails } from '@espalier/client';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { isLong } from '../support/long.js';
import { makeSprout, sproutSpec, trainPlain, weightsOf } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-drain-'));
const long = 300_000;
const steps = 24;
const workers: ChildProcess[] = [];
let server: TestServer;
let client: Client;
let spec: Record<string, unknown>;
let plainHash: string;

/** Starts `espalier worker` and waits until it is connected. */
async function startWorker(name: string, settings: Record<string, string> = {}): Promise<ChildProcess> {
  const words = ['worker', '--server', server.url, '--name', name, '--slots', '1', '--json'];
  const variables = Object.entries({
    key: server.workerKey,
    gpus: 'off',
    modelRoots: JSON.stringify([folder]),
    minFreeMb: '0',
    timing__pollMs: '30',
    ...settings,
  });
  const child = spawn(process.execPath, [main, ...words, '--data', join(folder, name)], {
    env: {
      ...process.env,
      ...Object.fromEntries(
        variables.map(([key, value]) => [`ESPALIER__WORKER__${key.toUpperCase()}`, value]),
      ),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  workers.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

beforeAll(async () => {
  spec = sproutSpec(await makeSprout(folder), { steps });
  plainHash = await trainPlain(folder, spec);
  server = await startTestServer({
    modelRoots: [folder],
    heartbeatSeconds: 0.2,
    // a busy machine must not take the job away: it moves because of the drain
    leaseSeconds: 300,
    minFreeMb: 0,
  });
  client = createClient({ url: server.url, key: server.adminKey });
}, long);
afterAll(async () => {
  for (const child of workers.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  )) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await client.dispose();
  await server.close();
  removeFolder(folder);
}, long);

const reached = async (id: string, holds: (run: RunDetails) => boolean): Promise<RunDetails> => {
  let run = await client.runs.get(id);
  await waitFor(
    'the run is where it should be',
    async () => holds((run = await client.runs.get(id))),
    long / 2,
  );
  return run;
};
const expectWholeRun = async (id: string): Promise<void> => {
  const run = await reached(id, ({ state }) => state === 'finished' || state === 'failed');
  expect([run.state, run.step]).toEqual(['finished', steps]);
  const [weights] = await client.artifacts.list(id, weightsOf(steps));
  expect(weights?.sha256).toBe(plainHash);
  const rows = await client.trajectories.list(id, { split: 'train' }, { first: 500 });
  expect(new Set(rows.items.map(({ id: name }) => name)).size).toBe(steps * 8);
};
const workersOf = ({ attempts }: RunDetails): (string | null)[] =>
  attempts.map(({ workerName }) => workerName);

/** Holds the training processes of a run at a step, so that it cannot end before what the test does next. */
async function holdAt(id: string, step: number): Promise<() => void> {
  const run = await reached(id, (now) => (now.step ?? 0) >= step);
  const group = -(run.attempts[0]?.pid ?? Number.NaN);
  process.kill(group, 'SIGSTOP');
  return () => process.kill(group, 'SIGCONT');
}

describe('a worker that drains', () => {
  it(
    'on request, hands its run over, stays connected without new jobs, and gets them again when undrained',
    async () => {
      await startWorker('first');
      const { id } = await client.runs.create({ spec });
      const letGo = await holdAt(id, 3);
      await startWorker('second');
      const connection = ['--server', server.url, '--key', server.adminKey];
      const drained = await callCli(['worker', 'drain', 'first', '--deadline', '5m', ...connection]);
      expect(drained).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/first {2}drained; its jobs move within 5 min/) as string,
      });
      letGo();
      await expectWholeRun(id);
      const run = await client.runs.get(id);
      expect(workersOf(run).sort()).toEqual(['first', 'second']);
      expect(run.jobs[0]).toMatchObject({ failures: 0 });
      const listed = await callCli(['worker', 'list', ...connection]);
      expect(listed.stdout).toMatch(/online, drained .* first/);
      const undrained = await callCli(['worker', 'undrain', 'first', ...connection]);
      expect([undrained.code, undrained.stdout]).toEqual([
        0,
        expect.stringMatching(/first {2}gets new jobs/),
      ]);
      const wrong = await callCli(['worker', 'drain', 'first', '--deadline', 'soon', ...connection]);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('such as 90s, 10m or 2h')]);
    },
    long,
  );

  if (isLong)
    it(
      'at SIGTERM, kills what runs after its deadline and ends with 0; the run continues from its newest checkpoint',
      async () => {
        const hasty = await startWorker('hasty', { drainSeconds: '0', labels: '[movable]' });
        const { id } = await client.runs.create({ spec, needs: { labels: ['movable'] } });
        await holdAt(id, 3);
        const ended = once(hasty, 'exit');
        hasty.kill('SIGTERM');
        expect(await ended).toEqual([0, null]);
        const waiting = await reached(id, ({ state }) => state === 'queued');
        expect(waiting.jobs[0]).toMatchObject({ failures: 0 });
        await startWorker('heir', { labels: '[movable]' });
        await expectWholeRun(id);
        expect(workersOf(await client.runs.get(id)).sort()).toEqual(['hasty', 'heir']);
      },
      long,
    );

  it('cannot be drained by a deadline while it is away, but gets nothing new', async () => {
    const [, second] = workers;
    const left = once(second as ChildProcess, 'exit');
    second?.kill('SIGTERM');
    await left;
    const { items } = await client.workers.list();
    const away = items.find(({ name }) => name === 'second');
    await expect(client.workers.drain(away?.id ?? '', { deadlineSeconds: 1 })).rejects.toMatchObject({
      details: { code: 'worker.not_possible' },
      message: expect.stringContaining('it cannot be reached') as string,
    });
  });
});
