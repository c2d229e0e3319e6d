import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { hashFile } from '@espalier/files';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost, writeNvidiaSmi } from '../support/hosts.js';
import { isLong } from '../support/long.js';
import { makeSprout, sproutSpec, trainPlain, weightsOf } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-hosts-'));
const first = createHost(1, root);
const second = createHost(2, root);
const steps = 24;
const long = 240_000;
const running: ChildProcess[] = [];
let server: TestServer;
let client: Client;
let spec: Record<string, unknown>;
let plainHash = '';

beforeAll(async () => {
  spec = sproutSpec(await makeSprout(root), { steps });
  plainHash = await trainPlain(root, spec);
  server = await startTestServer({ minFreeMb: 0, modelRoots: [root] });
  client = createClient({ url: server.url, key: server.adminKey });
}, long);
afterAll(async () => {
  for (const child of running) await stop(child);
  await client.dispose();
  await server.close();
  for (const host of [first, second]) host.close();
  removeFolder(root);
}, long);

const startOn = async (host: typeof first, more: Record<string, string> = {}): Promise<ChildProcess> => {
  const words = ['--name', host.name, '--slots', '1', '--data', join(root, host.name)];
  words.push('--server', await host.reach(Number(new URL(server.url).port)), '--on-stop', 'drain');
  const env = {
    ESPALIER__WORKER__KEY: server.workerKey,
    ESPALIER__WORKER__MINFREEMB: '0',
    ESPALIER__WORKER__MODELROOTS: JSON.stringify([root]),
  };
  const worker = await host.startWorker(words, { ...env, ...more });
  running.push(worker);
  return worker;
};
const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};
const reached = async (
  id: string,
  holds: (run: { state: string; step: number | null }) => boolean,
): Promise<void> => {
  await waitFor(`run ${id} gets there`, async () => holds(await client.runs.get(id)), long);
};

describe('two hosts with one queue', () => {
  if (isLong)
    it(
      'a run paused on one goes on on the other, from the checkpoint that the server has, bit for bit',
      async () => {
        const worker = await startOn(first);
        const { id } = await client.runs.create({ spec });
        await reached(id, ({ step }) => (step ?? 0) >= 5);
        await client.runs.pause(id);
        await reached(id, ({ state }) => state === 'paused');
        await stop(worker);
        await startOn(second);
        expect(existsSync(join(root, second.name, 'runs', id))).toBe(false);
        await client.runs.resume(id);
        await reached(id, ({ state }) => state === 'finished');
        const { attempts } = await client.runs.get(id);
        expect(attempts.map(({ workerName, verdict }) => [workerName, verdict])).toEqual([
          [first.name, 'stopped'],
          [second.name, 'finished'],
        ]);
        expect(attempts[1]?.startStep).toBeGreaterThanOrEqual(5);
        if (first.isApart) expect(attempts.map(({ host }) => host)).toEqual([first.name, second.name]);
        const stored = await client.artifacts.list(id, weightsOf(steps));
        expect(stored.map(({ sha256 }) => sha256)).toEqual([plainHash]);
        expect(hashFile(join(root, second.name, 'runs', id, weightsOf(steps)))).toBe(plainHash);
      },
      long,
    );

  it(
    'a job that asks for two GPUs lands where they are, and sees only those',
    async () => {
      const path = `${writeNvidiaSmi(join(root, 'bin'))}:${process.env['PATH'] ?? ''}`;
      await startOn(first, { PATH: path });
      // in the long form it is there from before
      if (!isLong) await startOn(second);
      const { id } = await client.runs.create({
        // a job with GPUs may use all cores, whose threads would spin
        spec: { ...spec, device: { threads: 1 } },
        needs: { kind: 'gpu', count: 2, memoryMb: 100_000, labels: [] },
      });
      await reached(id, ({ step }) => (step ?? 0) >= 1);
      const { attempts } = await client.runs.get(id);
      const [{ workerName = '', devices = [], pid = 0 } = {}] = attempts;
      expect([workerName, devices.length]).toEqual([first.name, 2]);
      const environment = readFileSync(`/proc/${pid ?? 0}/environ`, 'utf8').split('\0');
      expect(environment).toContain(`CUDA_VISIBLE_DEVICES=${devices.join(',')}`);
      for (const device of devices) expect(device).toMatch(/^GPU-/);
      await reached(id, ({ state }) => state === 'finished');
      expect((await client.artifacts.list(id, weightsOf(steps))).map(({ sha256 }) => sha256)).toEqual([
        plainHash,
      ]);
      expect(readdirSync(join(root, second.name, 'runs'))).not.toContain(id);
    },
    long,
  );
});
