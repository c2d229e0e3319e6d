/** @file The queue of the page: what only several workers, time and failures make a job wait for, over real sockets in real Chromium. */
import { type Client, createClient } from '@espalier/client';
import type { HelloMessage } from '@espalier/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { cpuSlots, type SimulatedOptions, SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

describe.skipIf(!canBrowse)('why a job waits, on the page', () => {
  let server: TestServer;
  let browser: Browser;
  let client: Client;
  let page: Page;
  let complaints: string[];
  const workers: SimulatedWorker[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startTestServer({ leaseSeconds: 4, heartbeatSeconds: 0.5, reserveAfterSeconds: 0, retrySeconds: 300 }),
      launchBrowser(),
    ]);
    client = createClient({ url: server.url, key: server.adminKey });
    ({ page, complaints } = await openWatched(browser, server.url));
    await page.goto(`${server.url}/workers#key=${server.adminKey}`);
  }, 120_000);
  afterAll(async () => {
    for (const worker of workers) worker.close();
    await client.dispose();
    await browser.close();
    await server.close();
  });

  const spec = { environment: { use: 'bandit' }, algorithm: { use: 'grpo' }, model: { use: 'seedling' } };
  /** One that runs on the worker of that label only. */
  const create = async (label: string, count = 1): Promise<string> =>
    (await client.runs.create({ spec, needs: { labels: [label], count } })).id;
  const connect = async (
    label: string,
    options: Partial<SimulatedOptions> = {},
  ): Promise<SimulatedWorker> => {
    const worker = new SimulatedWorker(server.url, server.workerKey, {
      name: label,
      labels: [label],
      ...options,
    });
    workers.push(worker);
    await worker.connect();
    return worker;
  };
  const waits = (id: string, reason: string) =>
    page.waitForSelector(`tr:has-text("${id}") td:has-text(${JSON.stringify(reason)})`);

  it('says that no worker is connected', async () => {
    const id = await create('nobody');
    await waits(id, 'No worker is connected; start one with `espalier worker`.');
    await client.runs.cancel(id, { now: true });
  });

  it('names the fault of a device', async () => {
    const devices = cpuSlots(1).map((slot) => ({ ...slot, faults: ['an uncorrectable memory error'] }));
    await connect('faulty', { devices });
    await waits(
      await create('faulty'),
      'The device "slot 0" (cpu-0) of worker "faulty" is drained because of an uncorrectable memory error.',
    );
  });

  it('says until when it backs off, and after which failure', async () => {
    const worker = await connect('fails');
    const id = await create('fails');
    const assignment = await worker.assigned(1);
    await worker.begin(assignment);
    await worker.end(assignment, 5, null, 'no room on the disk');
    await waits(id, 'It backs off until ');
    await waits(id, 'failure 1 of 3: ');
    await waits(id, 'no room on the disk');
  });

  it('names the job that devices are reserved for', async () => {
    const worker = await connect('two', { devices: cpuSlots(2) });
    await create('two');
    await worker.assigned(1);
    const large = await create('two', 2);
    await waits(
      large,
      'so devices of worker "two" are reserved for it: 1 of the 2 CPU slots it needs is free.',
    );
    const [job] = (await client.runs.get(large)).jobs;
    await waits(
      await create('two'),
      `Free devices of worker "two" are reserved for job ${job?.id}, which is ahead of it and has waited long`,
    );
  });

  it('names the plugin that a worker has in another version than the run began with', async () => {
    const coin = (version: string): HelloMessage['plugins'] => [
      { kind: 'environment', id: 'coin', version, sha256: version.repeat(8), isExternal: true },
    ];
    const worker = await connect('plugins', { plugins: coin('1.0.0') });
    const id = await create('plugins');
    const assignment = await worker.assigned(1);
    await worker.say(assignment, {
      kind: 'process-started',
      time: Date.now(),
      pid: 1,
      host: 'h',
      devices: [],
      versions: {},
      plugins: coin('1.0.0') ?? [],
      gitRevision: null,
    });
    await client.runs.pause(id);
    await worker.end(assignment, 75);
    await expect.poll(async () => (await client.runs.get(id)).state).toBe('paused');
    worker.close();
    await connect('plugins', { plugins: coin('2.0.0'), instance: 'after an upgrade' });
    await client.runs.resume(id);
    await waits(id, 'The worker "plugins" has environment coin 2.0.0 (');
    await waits(id, `espalier run resume ${id} --accept-plugins`);
  });

  it('says that the only worker is silent', async () => {
    const worker = await connect('silent');
    await create('silent');
    await worker.assigned(1);
    const id = await create('silent');
    await waits(id, 'The only CPU slot is busy; ');
    // the lease of what it has lapses
    worker.fallSilent();
    await waits(
      id,
      'The worker "silent" would fit but is silent; it gets nothing new until it responds again.',
    );
    expect(complaints).toEqual([]);
  }, 60_000);
});
