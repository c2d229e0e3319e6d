/** @file Questions that fail, addresses of nothing and rows that come late, in real Chromium: the page says what it lacks. */
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { writeRatedRun } from '../support/rated-run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

/** What is not worth another try by itself. */
const refusal = { code: 'server.invalid_input', message: 'not now', errors: [{ message: 'not now' }] };

describe.skipIf(!canBrowse)('what the page lacks, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let writer: EventWriter;
  /** questions whose text has one of these are refused */
  const failing = new Set<string>();
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    writer = await createWriter(server);
    await writer.write([
      ...[0, 1].map((index) => trajectoryEvent(1, index, { id: `train/1/0/${index}` })),
      metricsEvent(1, { 'flow/trajectories': 2, 'policy/entropy': 1, 'rollout/entropy': 0.5 }),
      metricsEvent(2, { 'flow/trajectories': 1, 'policy/entropy': 1, 'rollout/entropy': 0.25 }),
    ]);
    await server.app
      .get(DataSource)
      .getRepository(Alert)
      .insert({
        id: createId('alert'),
        runId: writer.runId,
        project: 'default',
        severity: 'warning',
        code: 'run.odd',
        message: 'an alarm of step 1',
        time: 1,
        step: 1,
        acknowledgedAt: null,
        acknowledgedBy: null,
      });
    ({ page } = await openWatched(browser, server.url));
    page.setDefaultTimeout(20_000);
    await page.route('**/graphql', (route) => {
      const asked = route.request().postData() ?? '';
      return [...failing].some((text) => asked.includes(text))
        ? route.fulfill({ status: 400, json: refusal })
        : route.fallback();
    });
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('nav[aria-label="Views"]');
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  const open = (path: string) => page.goto(`${server.url}${path}`);
  const ofRun = (path: string) => open(`/runs/${writer.runId}${path}`);
  const again = () => page.locator('[role="alert"]:has-text("not now") button:text-is("Try again")');
  /** Presses all at once: what one asks again can answer another, which is gone then. */
  const pressAll = () =>
    again().evaluateAll((buttons: { click(): void }[]) => buttons.forEach((button) => button.click()));

  it('what fits a filter of the step story is asked for again where that failed', async () => {
    failing.add('"success":true');
    await ofRun('/steps?from=1&to=1&success=yes');
    await again().last().waitFor();
    expect(await page.locator('.waiting:has-text("what fits the filter")').count()).toBe(0);
    failing.clear();
    await pressAll();
    await page.waitForSelector('.notice:has-text("No training trajectory"), .card.groups');
  });

  it('an address of nothing says so', async () => {
    await ofRun('/banana');
    await page.waitForSelector('.notice:has-text("There is no such view of a run")');
    await ofRun('/verdicts?alarm=unknown');
    await page.waitForSelector('.notice:has-text("This run has no such alarm")');
    expect(await page.locator('section[aria-label="Alarm"]').count()).toBe(0);
    await page.click('nav[aria-label="Alarms"] button:has-text("step 1")');
    await page.waitForSelector('section[aria-label="Alarm"]:has-text("an alarm of step 1")');
    await ofRun('/steps?from=50&to=60');
    await page.waitForSelector('.hint:has-text("steps 50–60"):has-text("the newest step that is done is 2")');
    await open('/nope');
    await page.waitForSelector('.notice:has-text("There is no such view")');
  });

  it('a question that failed is told, also where it has no place of its own, and asked again', async () => {
    const rated = await writeRatedRun(server);
    const run = `/runs/${writer.runId}`;
    const cases = {
      '/': ['MetricHistory', 'ListProjects'],
      '/alerts': ['ReadAlertRecord', 'ListAssignees', 'ListRuns', 'TotalAlerts'],
      [`/compare?runs=${rated.runId}`]: ['CompareRuns'],
      '/plugins': ['ListPlugins'],
      [run]: ['ListAlerts'],
      [`${run}/steps?from=1&to=1&kept=no`]: ['CountTrajectories'],
      [`${run}/verdicts`]: ['ListRubrics', 'ReadAlertRecord'],
    };
    const silent: string[] = [];
    for (const [view, names] of Object.entries(cases))
      for (const name of names) {
        failing.add(name);
        await open(view);
        const isTold = await again()
          .first()
          .waitFor()
          .then(() => true)
          .catch(() => false);
        failing.clear();
        if (!isTold) silent.push(`${view}: ${name}`);
        await pressAll();
        await again().first().waitFor({ state: 'detached' });
      }
    expect(silent).toEqual([]);
  }, 240_000);

  it('rewards and walked trajectories that could not be read are asked for again', async () => {
    for (const [path, shown] of [
      ['/trajectories', '.reward-histogram .bin'],
      ['?from=1&to=1&nth=1', '.walked a:text-is("train/1/0/0")'],
    ] as const) {
      failing.add('ListTrajectories');
      await ofRun(path);
      await again().first().waitFor();
      expect(await page.locator(shown).count()).toBe(0);
      failing.clear();
      await pressAll();
      await page.waitForSelector(shown);
    }
  });

  it('an estimate that the server refuses says why', async () => {
    const asksEstimate = '"estimate":true';
    await page.route('**/graphql', (route) => {
      const asked = route.request().postData() ?? '';
      return asked.includes(asksEstimate)
        ? route.continue({ postData: asked.replace(asksEstimate, '"estimate":false') })
        : route.fallback();
    });
    await open('/new?recipe=bandit-grpo');
    await page.waitForSelector('[role="status"]:text-is("valid")');
    expect(await page.locator('.plan .hint:has-text("No estimate")').count()).toBe(0);
    await page.click('.plan button:text-is("Estimate")');
    await page.waitForSelector('.plan .hint:has-text("No estimate: no estimate was requested")');
  });

  it('a number that is not of trajectories opens the story of its step', async () => {
    await ofRun('');
    await page.click('[data-tile="rollout/entropy"] .value a');
    await page.waitForSelector('[data-number="policy/entropy"]');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
      `/runs/${writer.runId}/steps?from=2&to=2`,
    );
  });

  it('the list is read again for what is not pushed: the time left moves', async () => {
    const { page: list } = await openWatched(browser, server.url);
    await list.clock.install();
    const timed = await createWriter(server);
    await server.app.get(DataSource).getRepository(Run).update({ id: timed.runId }, { steps: 1000 });
    const row = (step: number, time: number) => ({ ...metricsEvent(step, { 'rollout/entropy': 1 }), time });
    await list.goto(`${server.url}/#key=${server.adminKey}`);
    const left = list.locator(`[data-run="${timed.runId}"] [data-cell="eta"]`);
    await left.waitFor({ state: 'attached' });
    const began = Date.now() - 3_600_000;
    // steps of 100 s, then of one
    await timed.write([0, 1, 2].map((step) => row(step, began + step * 100_000)));
    await list.clock.fastForward(11_000);
    await expect.poll(() => left.textContent(), { timeout: 20_000 }).toMatch(/^27 h/);
    await timed.write(
      Array.from({ length: 20 }, (_, at) => row(at + 3, began + 200_000 + (at + 1) * 1000)) as never,
    );
    // pushed rows do not hold up what is read again
    await list.clock.fastForward(11_000);
    await expect.poll(() => left.textContent(), { timeout: 20_000 }).toMatch(/^16 min/);
    await list.context().close();
  }, 60_000);

  it('trajectories that are stored after their step was opened are counted', async () => {
    await ofRun('/steps?from=2&to=2');
    await page.waitForSelector('[data-number="policy/entropy"]');
    await page.waitForLoadState('networkidle');
    await writer.write([trajectoryEvent(2, 0, { id: 'train/2/0/0' })]);
    await page.waitForSelector('.card.groups', { timeout: 10_000 });
  });
});
