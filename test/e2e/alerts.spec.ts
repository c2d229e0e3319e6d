/** @file The list of alerts in Chromium: live, filtered by the address, assigned and acknowledged, by keys alone and by viewers. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createClient } from '@espalier/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { writeRatedRun } from '../support/rated-run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

describe.skipIf(!canBrowse)('the list of alerts, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  const runIds: string[] = [];
  const complaints: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    for (let i = 0; i < 2; i++) runIds.push((await writeRatedRun(server)).runId);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  const signIn = async (name: string, role: 'operator' | 'viewer' = 'operator'): Promise<Page> => {
    const key = await server.createKey({ name, role, projects: ['default'] });
    const { page, complaints: own } = await openWatched(browser, server.url);
    page.on('close', () => complaints.push(...own));
    await page.goto(`${server.url}/#key=${key}`);
    await page.getByRole('link', { name: /^Alerts/ }).click();
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
    return page;
  };
  const rows = (page: Page) => page.locator('[data-alert]');
  const counted = (page: Page) => page.getByRole('link', { name: /^Alerts/ }).innerText();

  it('shows an alert of any run as it is raised, and opens its verdict room', async () => {
    const page = await signIn('ann');
    await rows(page).nth(1).waitFor();
    expect([await rows(page).count(), await counted(page)]).toEqual([2, 'Alerts 2']);
    runIds.push((await writeRatedRun(server)).runId);
    await rows(page).nth(2).waitFor();
    await page.getByRole('link', { name: 'Alerts 3 open' }).waitFor();
    const first = rows(page).first();
    await first.getByRole('link', { name: 'entropy fall at step 8' }).click();
    await page.waitForURL(/\/runs\/run-.*\/verdicts\?alarm=alert-/);
    await page.getByRole('heading', { name: 'Alarm at step 8' }).waitFor();
    // the trajectories that show it, and by which quantity they were chosen
    const shown = page.getByRole('region', { name: 'Trajectories that show entropy fall' });
    await shown.getByRole('listitem').nth(3).waitFor();
    expect(await shown.getByRole('heading').innerText()).toMatch(
      /^The 4 that show it\s+least entropy · steps 8–10/,
    );
    await shown.getByRole('button', { name: /^What is how they were chosen/ }).click();
    await shown.getByText('mean entropy of the sampling distributions over its sampled tokens').waitFor();
    await page.close();
  }, 60_000);

  it('assigns and acknowledges several at once, which other pages and the address see', async () => {
    const [ann, bob] = [await signIn('ann-2'), await signIn('bob')];
    await rows(ann).nth(2).waitFor();
    const assignee = rows(ann).first().getByRole('combobox');
    // keys that were made meanwhile are read when it is opened
    await assignee.focus();
    await assignee.selectOption({ label: 'bob' });
    await ann.getByLabel('Assignee', { exact: true }).selectOption('bob');
    await ann.waitForURL(/assignee=bob/);
    await rows(ann).nth(1).waitFor({ state: 'detached' });
    await rows(ann).first().waitFor();
    await bob
      .locator('[data-alert] option:checked', { hasText: 'bob (this key)' })
      .waitFor({ state: 'attached' });
    // the link shows the same to somebody else
    await bob.goto(ann.url());
    await rows(bob).first().waitFor();
    expect(await rows(bob).count()).toBe(1);

    await ann.getByLabel('Assignee', { exact: true }).selectOption('-');
    await rows(ann).nth(1).waitFor();
    await ann.getByLabel('Choose all open alerts that are listed').check();
    await ann.getByText('2 chosen').waitFor();
    await ann.getByRole('button', { name: 'Acknowledge 2' }).click();
    await ann.getByText('No alert is like that').waitFor();
    await bob.getByRole('link', { name: 'Alerts 1 open' }).waitFor();
    await ann.goto(`${server.url}/alerts?state=acknowledged&rule=entropy-fall&severity=warning`);
    await ann.getByText('acknowledged by ann-2').nth(1).waitFor();
    await ann.goto(`${server.url}/alerts?state=all&rule=entropy-rise`);
    await ann.getByText('No alert is like that').waitFor();
    for (const page of [ann, bob]) await page.close();
    expect(complaints).toEqual([]);
  }, 60_000);

  it('is only read by a viewer, and by keys alone an operator acknowledges', async () => {
    const viewer = await signIn('vic', 'viewer');
    await rows(viewer).first().waitFor();
    expect(await viewer.locator('[data-alert] :is(input, select, button)').count()).toBe(0);
    expect(await rows(viewer).first().innerText()).toContain('bob');
    await viewer.close();
    const page = await signIn('kim');
    await rows(page).first().waitFor();
    await page.goto(`${server.url}/`);
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await rows(page).first().waitFor();
    const focused = () => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    for (let i = 0; i < 60 && (await focused()) !== 'Acknowledge'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('No alert is like that').waitFor();
    expect(await counted(page)).toBe('Alerts');
    await page.close();
  }, 60_000);

  it('has no serious finding of axe, light and dark, wide and narrow', async () => {
    const page = await signIn('axel');
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.goto(`${server.url}/alerts?state=all`);
        await rows(page).nth(2).waitFor();
        await page.evaluate(axe);
        const found = await page.evaluate<string[]>(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
        );
        expect([colorScheme, width, found]).toEqual([colorScheme, width, []]);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect([width, overflow]).toEqual([width, 0]);
      }
    await page.close();
  }, 60_000);

  it('is counted by the server for each key as it may see', async () => {
    const key = await server.createKey({ name: 'far', role: 'viewer', projects: ['elsewhere'] });
    const client = createClient({ url: server.url, key });
    expect(await client.totals.alerts({})).toBe(0);
    await client.dispose();
  });
});
