/** @file What runs have cost, in the API, on the page and on the command line: the same numbers of a run that was trained. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import type { Ledger } from '@espalier/report/ledger';
import { removeFolder, waitFor } from '@espalier/testing';
import { startWorker, type Worker } from '@espalier/worker';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const priced = { device: { pricePerHour: 2 } };
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.skipIf(!canBrowse)('what runs have cost', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-costs-'));
  const runIds: string[] = [];
  let server: TestServer;
  let worker: Worker;
  let browser: Browser;
  let client: Client;
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    const [started, opened, model] = await Promise.all([
      startTestServer({ modelRoots: [folder] }),
      launchBrowser(),
      makeSprout(folder),
    ]);
    server = started;
    browser = opened;
    client = createClient({ url: server.url, key: server.adminKey });
    const options = {
      server: server.url,
      key: server.workerKey,
      name: 'local',
      data: join(folder, 'worker'),
      gpus: 'off',
      minFreeMb: 0,
      modelRoots: [folder],
    };
    worker = await startWorker(options as never, { log: quiet });
    for (const seed of [1, 2]) {
      const spec = sproutSpec(model, { seed, steps: 3, validation: { every: 3, episodes: 8 }, ...priced });
      runIds.push((await client.runs.create({ spec })).id);
    }
    for (const id of runIds)
      await waitFor('the run', async () => (await client.runs.get(id)).state === 'finished', 120_000);
    ({ page, complaints } = await openWatched(browser, server.url));
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector(`[data-run="${runIds[0]}"]`);
  }, 240_000);
  afterAll(async () => {
    await client.dispose();
    await browser.close();
    await worker.close();
    await server.close();
    removeFolder(folder);
  });

  it('is on the server what `espalier compare` says of the run folders', async () => {
    const { ledgers } = await client.runs.compare(runIds, { metrics: [], ledger: true });
    const folders = runIds.map((id) => join(folder, 'worker', 'runs', id));
    const { code, stdout } = await callCli(['compare', ...folders, '--json']);
    expect(code).toBe(0);
    const local = (JSON.parse(stdout) as { ledgers: Ledger[] }).ledgers;
    expect(ledgers).toHaveLength(2);
    for (const [at, { wallSeconds, processorSeconds, energyJoules, phases, ...rest }] of (
      ledgers ?? []
    ).entries()) {
      const { runId: _, successPoints, perMillionTokens, perDeviceHour, ...same } = rest;
      const { perThousandInteractions, price, perPrice, ...counts } = same;
      expect(local[at]).toMatchObject(counts);
      expect(counts.steps).toBe(3);
      const close = expect.closeTo(local[at]?.perDeviceHour ?? Number.NaN, 9) as number;
      expect([successPoints, perMillionTokens, perThousandInteractions, perDeviceHour]).toEqual([
        local[at]?.successPoints,
        local[at]?.perMillionTokens,
        local[at]?.perThousandInteractions,
        close,
      ]);
      const sum = (parts: object = {}): number =>
        Object.values(parts).reduce<number>((total, one) => total + Number(one), 0);
      expect(wallSeconds).toBeCloseTo(sum(local[at]?.wallSeconds), 9);
      expect(price).toBeCloseTo((2 * wallSeconds) / 3600, 9);
      expect([price, perPrice]).toEqual(
        [local[at]?.price, local[at]?.perPrice].map((own) => expect.closeTo(own ?? Number.NaN, 9) as number),
      );
      expect(processorSeconds).toBeCloseTo(sum(local[at]?.processorSeconds), 9);
      expect(energyJoules).toBeCloseTo(sum(local[at]?.energyJoules), 6);
      expect(energyJoules).toBeGreaterThan(0);
      expect(phases.find(({ phase }) => phase === 'collect')?.wallSeconds).toBeGreaterThan(0);
    }
  });

  it('is in the overview of a run, phase by phase, with where the energy is from', async () => {
    await page.click(`[data-run="${runIds[0]}"] .name-cell a`);
    const cost = page.locator('[data-part="cost"]');
    await cost.waitFor();
    expect(await cost.innerText()).toMatch(/Wh, (measured|estimated|partly measured)/);
    await cost.locator('summary').click();
    for (const phase of ['collect', 'update', 'validate', 'save'])
      await cost.locator(`details tr:has-text("${phase}")`).waitFor();
    await cost.locator('button[aria-label^="What is"]').click();
    await page.waitForSelector('.about dl:has-text("RunLedger.perDeviceHour")');
    await page.keyboard.press('Escape');
    expect(complaints).toEqual([]);
  });

  it('is in a comparison a table over runs', async () => {
    await page.goto(`${server.url}/compare?runs=${runIds.join(',')}`);
    const table = page.locator('[data-part="costs"] table');
    await table.waitFor();
    const heads = await table.locator('th').allInnerTexts();
    expect(heads).toEqual(
      expect.arrayContaining([
        'Energy',
        'per 10⁶ tokens',
        'per 10³ interactions',
        'per device-hour',
        'Price',
      ]),
    );
    expect(await table.locator('tbody tr').count()).toBe(2);
    for (const row of await table.locator('tbody tr').all())
      expect((await row.locator('td').allInnerTexts())[heads.indexOf('Energy')]).toMatch(
        / Wh, (measured|estimated|partly measured)$/,
      );
    expect(complaints).toEqual([]);
  });
});
