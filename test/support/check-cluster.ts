/** @file What the page shows of processes and of the queue. */
import { createClient } from '@espalier/client';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestServer } from './start-server.js';
import { createWriter } from './write-events.js';

/** Lines are pushed and followed until somebody scrolls up, and found. @param page signed in */
export async function checkLog(server: TestServer, page: Page): Promise<void> {
  const writer = await createWriter(server);
  const print = (...lines: string[]) =>
    writer.write(
      lines.map((text) => ({ kind: 'log', time: Date.now(), text })),
      'worker',
    );
  await print(...Array.from({ length: 60 }, (_, at) => `line ${at}`), 'a needle <b>here</b>');
  await page.goto(`${server.url}/runs/${writer.runId}/log`);
  const log = page.locator('pre.log');
  await log.locator(':text("a needle <b>here</b>")').waitFor();
  const isAtEnd = () => log.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 4);
  await print('pushed now');
  await log.locator(':text("pushed now")').waitFor();
  await expect.poll(isAtEnd).toBe(true);
  await log.evaluate((one) => one.scrollTo(0, 0));
  await page.waitForSelector('button[aria-pressed="false"]:text-is("Follow")');
  await print('pushed later');
  await log.locator(':text("pushed later")').waitFor();
  expect(await isAtEnd()).toBe(false);
  await page.click('button:text-is("Follow")');
  await expect.poll(isAtEnd).toBe(true);
  await page.fill('[aria-label="Lines that contain"]', 'needle');
  await page.waitForSelector('[role="status"]:text-is("1 line that contains it")');
  expect(await log.locator('mark').allTextContents()).toEqual(['needle']);
  await print('another needle', 'hay');
  await page.waitForSelector('[role="status"]:text-is("2 lines that contain it")');
}

/** A job for each reason to wait; the worker has one slot. @param page signed in */
export async function checkWaits(server: TestServer, page: Page): Promise<void> {
  const client = createClient({ url: server.url, key: server.adminKey });
  const key = await server.createKey({ name: 'idle', role: 'operator', maxRunning: 0 });
  const idle = createClient({ url: server.url, key });
  const spec = { environment: { use: 'bandit' }, algorithm: { use: 'grpo' }, model: { use: 'seedling' } };
  const create = async (needs: NonNullable<Parameters<typeof client.runs.create>[0]['needs']>, by = client) =>
    (await by.runs.create({ spec: { ...spec, steps: 100_000 }, needs })).id;
  const cases = [
    [await create({ labels: ['nobody'] }), 'No connected worker has the label "nobody".'],
    [await create({ kind: 'gpu' }), 'No worker has 1 GPU; the largest has 0.'],
    [await create({ count: 9 }), 'No worker has 9 CPU slots; the largest has 1.'],
    [await create({ memoryMb: 90_000_000 }), 'No worker has 1 CPU slot with 90000000 MiB each'],
    [await create({}, idle), 'The key that created it may run no jobs'],
  ] as const;
  const busy = await create({});
  const behind = await create({});
  await page.goto(`${server.url}/workers`);
  const waits = (id: string, reason: string) =>
    page.waitForSelector(`tr:has-text("${id}") td:has-text(${JSON.stringify(reason)})`);
  for (const [id, reason] of cases) await waits(id, reason);
  await waits(behind, 'The only CPU slot is busy; ');
  // another reason is shown when it is one
  const [worker] = (await client.workers.list()).items;
  await client.workers.drain(worker?.id ?? '');
  await waits(behind, 'would fit but is drained');
  await client.workers.undrain(worker?.id ?? '');
  for (const id of [behind, busy, ...cases.map(([run]) => run)]) await client.runs.cancel(id, { now: true });
  await Promise.all([client.dispose(), idle.dispose()]);
}
