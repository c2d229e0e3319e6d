/** @file ⓘ beside the numbers of every view, in Chromium: how each is computed, its unit and its key. */
import { createClient } from '@espalier/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

describe.skipIf(!canBrowse)('explanations of numbers, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  const runIds: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    for (let i = 0; i < 2; i++) runIds.push((await writeRatedRun(server)).runId);
    ({ page } = await openWatched(browser, server.url));
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  /** Opens the explanation of something, by its name, and reads it. */
  const explain = async (title: string): Promise<string> => {
    const button = page.getByRole('button', { name: `What is ${title}?`, exact: true }).first();
    await button.click();
    const note = page.getByRole('note');
    const text = await note.innerText();
    const { x = 0, width = 0 } = (await note.boundingBox()) ?? {};
    expect([title, x >= 0 && x + width <= (page.viewportSize()?.width ?? 0)]).toEqual([title, true]);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    return text;
  };

  it('say how each number is computed, in every view that has some', async () => {
    const client = createClient({ url: server.url, key: server.adminKey });
    const [runId = ''] = runIds;
    const [alarm] = await client.verdicts.alarms({ runId });
    await client.verdicts.judge(alarm?.id ?? '', { judgement: 'confirmed' });
    const set = await client.ratings.create({
      kind: 'rubric',
      rubric: 'collapse',
      sources: [{ runId, split: 'validation' }],
      size: 1,
    });
    await client.ratings.close(set.id);
    await client.dispose();
    const trajectory = `/runs/${runId}/trajectories/validation/${ratedSteps.after}/0/0`;
    const views: readonly (readonly [path: string, title: string, key: string])[] = [
      ['/', 'each number of a run', 'Run.latest[rollout/success_rate]'],
      ['/alerts', 'each number of the alerts', 'AlertCount.unacknowledged'],
      ['/workers', 'each number of a device', 'Device.utilisation'],
      ['/workers', 'each number of a job', 'Job.priority'],
      [`/ratings/${set.id}`, 'each result of a rating set', 'RatingResults.agreements.alpha'],
      [`/runs/${runId}/verdicts`, 'the record of alarms', 'AlertRecord.precision'],
      [trajectory, 'Reward', 'Trajectory.reward'],
      [trajectory, 'Tokens', 'Trajectory.tokens, sampledTokens'],
      [`/compare?runs=${runIds.join(',')}`, 'each number of a group', 'RunComparison.groups.mean'],
    ];
    for (const [path, title, key] of views) {
      await page.goto(server.url + path);
      expect([path, title, await explain(title)]).toEqual([path, title, expect.stringContaining(key)]);
    }
  }, 120_000);
});
