/** @file ⓘ beside the numbers of every view, in Chromium: how each is computed, its unit and its key. */
import { createClient } from '@espalier/client';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terms } from '../../apps/dashboard/src/charts/terms.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent } from '../support/events.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';
import { createWriter } from '../support/write-events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

describe.skipIf(!canBrowse)('explanations of numbers, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  const runIds: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    for (let i = 0; i < 2; i++) {
      const writer = await writeRatedRun(server);
      // a run has a cost once a step is complete
      await writer.write([
        metricsEvent(ratedSteps.after, { 'time/step_seconds': 2, 'time/collect_seconds': 1 }),
      ]);
      runIds.push(writer.runId);
    }
    ({ page } = await openWatched(browser, server.url));
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  /** Opens an explanation by a click and by keys, and reads it. */
  const read = async (button: Locator, place: string): Promise<string> => {
    const note = page.getByRole('note');
    await button.click();
    const text = await note.innerText();
    const { x = 0, width = 0 } = (await note.boundingBox()) ?? {};
    expect([place, x >= 0 && x + width <= (page.viewportSize()?.width ?? 0)]).toEqual([place, true]);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    await button.press('Enter');
    expect([place, await note.innerText()]).toEqual([place, text]);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    return text;
  };

  it('say how far several critics differ, and nothing of it where there is one', async () => {
    const write = async (values: Readonly<Record<string, number>>): Promise<string> => {
      const { runId, write: send } = await createWriter(server);
      await send([metricsEvent(1, { 'critic/explained_variance': 0.03, 'critic/value': 0.5, ...values })]);
      return `${server.url}/runs/${runId}`;
    };
    const [one, several] = [await write({}), await write({ 'critic/ensemble_std': 0.14 })];
    const legend = page.locator('[data-panel="explained"] .legend li');
    await page.goto(one);
    await expect
      .poll(() => legend.allInnerTexts())
      .toEqual([expect.stringMatching(/^explained variance\s0\.03$/)]);
    await page.goto(several);
    await expect
      .poll(() => legend.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^explained variance\s0\.03$/),
        expect.stringMatching(/^deviation between critics, in reward\s0\.14$/),
      ]);
    const said = await read(page.locator('[data-panel="explained"] .about button'), 'critic');
    expect(said).toMatch(/critic\/ensemble_std/);
    expect(said).toMatch(/standard deviation .* of the values of the critics/);
    // what has no panel is found by its name
    await page.click('summary:text-is("1 more metric")');
    await page.click('.more-metrics a:text-is("critic/value")');
    await page.waitForURL('**/compare?runs=*&metrics=critic%2Fvalue');
  }, 60_000);

  it('open beside all numbers of every view, by a click and by keys', async () => {
    const views = await prepareViews(server, runIds);
    const silent: string[] = [];
    const said = new Map<string, string>();
    for (const [path, { ready, least = 1 }] of Object.entries(views)) {
      await page.goto(server.url + path);
      await page.locator(ready).first().waitFor();
      await page.waitForLoadState('networkidle');
      for (const found of await page.evaluate<string[]>(findUnexplained)) silent.push(`${path}: ${found}`);
      const names = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.about button')].map((button) => button.getAttribute('aria-label'))`,
      );
      expect([path, names.length >= least]).toEqual([path, true]);
      // the same explanation is read once
      for (const name of new Set(names.filter((one) => !said.has(one)))) {
        const text = await read(page.getByRole('button', { name, exact: true }).first(), `${path} ${name}`);
        said.set(name, text);
      }
    }
    expect(silent).toEqual([]);
    const empty = [...said].filter(([, text]) => text.length < 10 || text.includes('no description'));
    expect(empty).toEqual([]);
    const all = [...said.values()].join('\n');
    const unseen = [...terms.keys()].filter((key) => !all.includes(key));
    expect(unseen.filter((key) => !elsewhere.test(key))).toEqual([]);
  }, 300_000);
});

/** Of results that this test does not make, and of trajectories that were trained: test/e2e/rescore.spec.ts and others do. */
const elsewhere = /^(Rescored|Evaluation\.|GroupTest\.|RunPlan\.estimate\.|Trajectory\.updateShare$)/;

interface View {
  /** what is there once the view has its data */
  readonly ready: string;
  /** how many explanations it has, at least; default: one */
  readonly least?: number;
}

async function prepareViews(
  { url, adminKey }: TestServer,
  runIds: readonly string[],
): Promise<Readonly<Record<string, View>>> {
  const client = createClient({ url, key: adminKey });
  const [runId = ''] = runIds;
  const [alarm] = await client.verdicts.alarms({ runId });
  await client.verdicts.judge(alarm?.id ?? '', { judgement: 'confirmed' });
  const sources = [{ runId, split: 'validation' as const }];
  const set = await client.ratings.create({ kind: 'rubric', rubric: 'collapse', sources, size: 1 });
  await client.ratings.close(set.id);
  await client.dispose();
  const run = `/runs/${runId}`;
  const trajectory = `${run}/trajectories/validation/${ratedSteps.after}/0/0`;
  return {
    '/': { ready: '.about' },
    '/alerts': { ready: '[data-alert]' },
    '/workers': { ready: '.about', least: 2 },
    '/plugins': { ready: 'main table', least: 0 },
    '/keys': { ready: 'main table', least: 0 },
    '/audit': { ready: 'main table', least: 0 },
    '/play?env=bandit': { ready: 'main h1', least: 0 },
    '/new?recipe=bandit-grpo': { ready: '.plan-facts b', least: 4 },
    [`/compare?runs=${runIds.join(',')}`]: { ready: '[data-part="scatter"]', least: 3 },
    '/ratings': { ready: '.rating-sets li', least: 0 },
    [`/ratings/${set.id}`]: { ready: '.agreement' },
    [run]: { ready: '.panels .about', least: 8 },
    [`${run}/steps?from=10&to=10`]: { ready: '[data-number]', least: 5 },
    [`${run}/trajectories`]: { ready: '.trajectories .body [role="row"]' },
    [`${run}/verdicts?alarm=${alarm?.id ?? ''}`]: { ready: '.finding .about', least: 3 },
    [`${run}/family`]: { ready: '.tree-name' },
    [`${run}/settings`]: { ready: '.settings', least: 0 },
    [`${run}/log`]: { ready: 'main table', least: 0 },
    [trajectory]: { ready: '.facts', least: 7 },
    [`${trajectory}?view=tokens&token=1`]: { ready: '.token-detail dl', least: 9 },
    [`${trajectory}?view=turning`]: { ready: '.turn-overview', least: 8 },
  };
}

/**
 * The numbers of a view that have no ⓘ, neither in their card nor at a heading above them. Names of rows and steps, texts of
 * tokens, marks along an axis and the length of a list in its heading are none, nor how long ago something was.
 */
const findUnexplained = `(() => {
  const isNumber = (text) => /^[−–-]?\\d[\\d,]*(\\.\\d+)?(\\s?(%|ms|nats|MiB|GiB|kB|MB))?$/.test(text.trim());
  const named = 'input, select, textarea, button, a, th, pre, code, .mono, .tag, .token, [aria-hidden=true], header > .faint';
  const heading = (element) => {
    for (let at = element; at !== null && at.tagName !== 'MAIN'; at = at.parentElement)
      for (let before = at.previousElementSibling; before !== null; before = before.previousElementSibling)
        if (before.matches('h1, h2, header, .row, p') && before.querySelector('.about') !== null) return before;
    return null;
  };
  return [...document.querySelectorAll('main *')]
    .filter((one) => one.children.length === 0 && isNumber(one.textContent) && one.closest(named) === null && one.closest('svg') === null)
    .filter((one) => one.closest('.card')?.querySelector('.about') == null && heading(one) === null)
    .map((one) => one.tagName + '.' + one.className + ' "' + one.textContent + '" in "' + (one.parentElement?.textContent ?? '').slice(0, 60) + '"');
})()`;
