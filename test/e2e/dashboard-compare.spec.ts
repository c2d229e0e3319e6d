/** @file What a chart of Compare does under the pointer, in real Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent } from '../support/events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter } from '../support/write-events.js';

describe.skipIf(!canBrowse)('a chart of Compare, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let address: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    const writers = [await createWriter(server), await createWriter(server)];
    for (const [index, writer] of writers.entries())
      await writer.write(
        Array.from({ length: 100 }, (_, at) =>
          metricsEvent(at + 1, {
            'rollout/reward_mean': Math.sin(at + index),
            'total/sampled_tokens': 10 * (at + 1),
          }),
        ),
      );
    ({ page } = await openWatched(browser, server.url));
    address = `${server.url}/compare?runs=${writers.map(({ runId }) => runId).join(',')}&metrics=rollout/reward_mean`;
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('[data-run]');
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const panel = '[data-panel="rollout/reward_mean"]';
  /** Points at a part of the width of the chart, and reads which step is there. */
  const stepAt = async (share: number): Promise<number> => {
    const {
      x = 0,
      y = 0,
      width = 0,
      height = 0,
    } = (await page.locator(`${panel} .u-over`).boundingBox()) ?? {};
    await page.mouse.move(x + width / 3, y + height / 2);
    await page.mouse.move(x + width * share, y + height / 2);
    return Number(/^step (\d+)/.exec((await page.textContent(`${panel} .at`)) ?? '')?.[1]);
  };

  it('stays where it was zoomed to when lines are read again, until a double click', async () => {
    await page.goto(address);
    await page.waitForSelector(`${panel} canvas`);
    await expect.poll(() => stepAt(0.9)).toBeGreaterThan(80);
    await stepAt(0.1);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -600);
    await page.keyboard.up('Control');
    await expect.poll(() => stepAt(0.9)).toBeLessThan(40);
    const zoomed = await stepAt(0.9);
    // other numbers are drawn in the same chart
    await page.click('button:text-is("mean, lowest to highest")');
    await page.waitForSelector(`${panel} .at:has-text("lowest to highest")`);
    expect(await stepAt(0.9)).toBe(zoomed);
    await page.dblclick(`${panel} .u-over`);
    await expect.poll(() => stepAt(0.9)).toBeGreaterThan(80);
  });

  it('chooses steps by dragging along steps, and says that it does not along tokens', async () => {
    await page.goto(`${address}&axis=tokens`);
    await page.waitForSelector(`${panel} .plot[title^="Steps can be chosen along steps only"] canvas`);
    await stepAt(0.2);
    await page.mouse.down();
    await stepAt(0.6);
    expect(await page.locator(`${panel} .u-select`).evaluate((one) => one.clientWidth)).toBe(0);
    await page.mouse.up();
    expect(page.url()).not.toContain('from=');
    await page.goto(address);
    await page.waitForSelector(`${panel} .plot[title^="Drag to choose steps"] canvas`);
    await expect.poll(() => stepAt(0.9)).toBeGreaterThan(80);
    await stepAt(0.2);
    await page.mouse.down();
    await stepAt(0.6);
    await page.mouse.up();
    await page.waitForURL(/from=2\d&to=6\d/);
  });
});
