/**
 * @file The active server is killed under a worker that trains, by real processes on a real PostgreSQL; and one that was stopped for
 * longer than its lease wakes up. `npm run test:long` kills it 50 times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { isRepeatable } from '@espalier/contracts/metric';
import { type PostgresService, removeFolder, startPostgres } from '@espalier/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { cliPath } from '../support/run-cli.js';
import { pairKeys, type ServerPair, startServerPair } from '../support/server-pair.js';
import { describeWith } from '../support/service.js';
import { makeSprout, type PlainRun, sproutSpec, trainPlainRun, weightsOf } from '../support/sprout.js';

const takeovers = isLong ? 50 : 1;
const steps = 24;
/** the promise is 10 s on an idle machine; tests share theirs */
const limitMs = 10_000 * (isLong ? 1 : 3);
const withinMs = isLong ? 3_000_000 : 300_000;

describeWith(['postgres'], `${takeovers} takeovers under a worker that trains`, () => {
  const root = mkdtempSync(join(tmpdir(), 'espalier-takeovers-'));
  let postgres: PostgresService;
  let servers: ServerPair;
  let client: Client;
  let worker: ChildProcess;
  let spec: Record<string, unknown>;
  let plain: PlainRun;
  const acknowledged: string[] = [];
  let isWriting = true;
  let failures = 0;
  let writing: Promise<void> = Promise.resolve();

  /** A client that writes all the time, and notes what was acknowledged. */
  const write = async (): Promise<void> => {
    for (let index = 0; isWriting; index += 1) {
      const name = `note-${index}`;
      try {
        await client.keys.create({ name, role: 'VIEWER', projects: ['*'] } as never);
        acknowledged.push(name);
      } catch {
        // its answer was lost, or nobody served for long: nothing was promised
        failures += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    spec = sproutSpec(await makeSprout(root), { steps });
    plain = await trainPlainRun(root, spec);
    expect(plain.series['rollout/success_rate']).toHaveLength(steps);
    servers = await startServerPair(root, postgres.url);
    await servers.active();
    client = createClient({ url: servers.urls, key: pairKeys.admin });
    worker = spawn(process.execPath, [cliPath, 'worker', '--name', 'w', '--data', join(root, 'worker')], {
      stdio: 'ignore',
      env: {
        ...process.env,
        ESPALIER__WORKER__SERVER: JSON.stringify(servers.urls),
        ESPALIER__WORKER__KEY: pairKeys.worker,
        ESPALIER__WORKER__MODELROOTS: JSON.stringify([root]),
        ESPALIER__WORKER__MINFREEMB: '0',
        ESPALIER__WORKER__ONSTOP: 'drain',
        ESPALIER__WORKER__DRAINSECONDS: '0',
      },
    });
  }, 180_000);
  afterAll(async () => {
    isWriting = false;
    await writing;
    worker.kill('SIGKILL');
    await once(worker, 'exit').catch(() => undefined);
    await client.dispose();
    await servers.stop();
    await postgres.stop();
    removeFolder(root);
  }, 60_000);

  const stepOf = async (id: string): Promise<number> => (await client.runs.get(id)).step ?? 0;
  const stateOf = async (id: string): Promise<string> => (await client.runs.get(id)).state;

  /** What the server has stored of a run, as `trainPlainRun` gives it: every value of every step, once. */
  const seriesOf = async (id: string): Promise<PlainRun['series']> => {
    const names = (await client.metrics.names(id)).map(({ name }) => name).filter(isRepeatable);
    const found = await client.metrics.history([id], names, { times: false, buckets: false });
    const pairs = found.map((series) =>
      (series?.steps ?? []).flatMap((step, n) => {
        const value = series?.values[n];
        return step !== null && typeof value === 'number' ? [[step, value] as const] : [];
      }),
    );
    return Object.fromEntries(names.map((name, n) => [name, pairs[n] ?? []]));
  };

  it(
    'lose nothing that was acknowledged, and no run differs from one without them',
    async () => {
      const runs: string[] = [];
      const times: number[] = [];
      writing = write();
      for (let count = 0; count < takeovers; count += 1) {
        const last = runs.at(-1);
        if (last === undefined || (await stateOf(last)) === 'finished')
          runs.push((await client.runs.create({ spec })).id);
        const id = runs.at(-1) ?? '';
        const before = await stepOf(id);
        // it trains while the server is killed
        await expect
          .poll(async () => (await stepOf(id)) > before || (await stateOf(id)) === 'finished', {
            timeout: 120_000,
            interval: 100,
          })
          .toBe(true);
        const place = await servers.active();
        const begin = performance.now();
        await servers.kill(place);
        const next = await servers.active();
        times.push(performance.now() - begin);
        expect(next).toBe(1 - place);
        servers.start(place);
        // a standby has to be there for the next one
        await expect
          .poll(
            async () => (await fetch(`${servers.urls[place] ?? ''}/health/ready`).catch(() => null))?.status,
            {
              timeout: 60_000,
            },
          )
          .toBe(503);
      }
      for (const id of runs)
        await expect.poll(() => stateOf(id), { timeout: 180_000, interval: 500 }).toBe('finished');
      isWriting = false;
      await writing;
      for (const id of runs) {
        const files = await client.artifacts.list(id, weightsOf(steps));
        expect(files.map(({ sha256 }) => sha256)).toEqual([plain.hash]);
        expect(await seriesOf(id)).toEqual(plain.series);
        const saved = (await client.runs.checkpoints(id)).map(({ step }) => step);
        expect(new Set(saved).size).toBe(saved.length);
      }
      // it wrote all the time, and its own retries bridged the takeovers
      expect(acknowledged.length).toBeGreaterThan(10 * takeovers);
      expect(failures).toBeLessThanOrEqual(takeovers);
      const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
      const rows = (await source.query('SELECT name FROM api_key')) as { name: string }[];
      const stored = new Set(rows.map(({ name }) => name));
      expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
      await source.destroy();
      const sorted = [...times].sort((a, b) => a - b);
      console.log(
        `${takeovers} takeovers: median ${Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) / 100) / 10} s, longest ${Math.round((sorted.at(-1) ?? 0) / 100) / 10} s; ${acknowledged.length} writes acknowledged, ${failures} failed; ${runs.length} runs`,
      );
      expect(sorted.at(-1)).toBeLessThan(limitMs);
    },
    withinMs,
  );

  it('let a server that slept through one write nothing, and end it', async () => {
    const place = await servers.active();
    const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    servers.signal(place, 'SIGSTOP');
    await expect.poll(async () => servers.active(), { timeout: 60_000 }).toBe(1 - place);
    const epochs = async () => (await source.query('SELECT epoch, address FROM server_lease')) as object[];
    const before = await epochs();
    expect(before).toMatchObject([{ address: servers.urls[1 - place] }]);
    servers.signal(place, 'SIGCONT');
    expect(await servers.ended(place)).toBe(1);
    expect(await epochs()).toEqual(before);
    await expect(client.keys.list()).resolves.toBeDefined();
    await source.destroy();
  }, 120_000);

  it('leave a database that a newer version has migrated to that version, and free its lease', async () => {
    const place = await servers.active();
    const older = 1 - place;
    servers.start(older);
    const statusOf = async (path: string): Promise<number | undefined> =>
      (await fetch(`${servers.urls[older] ?? ''}${path}`).catch(() => null))?.status;
    await expect.poll(() => statusOf('/health/live'), { timeout: 60_000 }).toBe(200);
    expect(await statusOf('/health/ready')).toBe(503);
    const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    // what a newer version does when it takes over
    await source.query(
      `INSERT INTO migration (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`,
    );
    // the old version that serves goes on until it ends
    await expect(client.keys.list()).resolves.toBeDefined();
    await servers.kill(place);
    expect(await servers.ended(older)).toBe(5);
    const leases = (await source.query('SELECT expires FROM server_lease')) as { expires: number }[];
    expect(leases).toEqual([{ expires: 0 }]);
    await source.query(`DELETE FROM migration WHERE name = 'Later9999999999999'`);
    await source.destroy();
    servers.start(older);
    expect(await servers.active()).toBe(older);
  }, 120_000);
});
