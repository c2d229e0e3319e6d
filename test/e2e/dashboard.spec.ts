/** @file The dashboard in real Chromium, against a real server with a worker that trains. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@espalier/client';
import { removeFolder } from '@espalier/testing';
import { startWorker, type Worker } from '@espalier/worker';
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { checkLog, checkWaits } from '../support/check-cluster.js';
import { checkWalkOfSteps } from '../support/check-walk.js';
import { metricsEvent } from '../support/events.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter } from '../support/write-events.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The address of every view. */
function viewsOf(runId: string, trajectory: string): string[] {
  const [run, one] = [`/runs/${runId}`, `/runs/${runId}/trajectories/${trajectory}`];
  const others = [
    '/',
    '/new',
    '/compare?all=1&show=runs',
    '/play?env=bandit&seed=1',
    '/workers',
    '/plugins',
    '/keys',
    '/audit',
  ];
  const ofRun = [
    '',
    '?chat=newest',
    '/steps',
    '/trajectories',
    '/trajectories?again=new',
    '/family',
    '/settings',
    '/log',
  ].map((view) => run + view);
  const names = ['messages', 'turns', 'tokens', 'tokens&under=checkpoints', 'turning', 'playback', 'beside'];
  return [others, ofRun, names.map((view) => `${one}?view=${view}`)].flat();
}

describe('the files of the page', () => {
  const dist = dirname(createRequire(import.meta.url).resolve('@espalier/dashboard'));
  const html = readFileSync(join(dist, 'index.html'), 'utf8');

  it('weigh at most 200 kB, compressed, before the first view is there', () => {
    const named = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, path = '']) => path,
    );
    // the socket is loaded with the first view
    expect(named.length).toBeGreaterThanOrEqual(2);
    const script = readFileSync(join(dist, named.find((path) => path.endsWith('.js')) ?? ''), 'utf8');
    const socket = `assets/${/graphql-socket-[\w-]+\.js/.exec(script)?.[0] ?? ''}`;
    const sizes = [...named, socket].map((path) => readFileSync(join(dist, `${path}.gz`)).length);
    expect(sizes.reduce((sum, size) => sum + size, Buffer.byteLength(html))).toBeLessThanOrEqual(200_000);
  });

  it('name no script, style or address of another host', () => {
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|https?:/);
  });
});

describe.skipIf(!canBrowse)('the dashboard, in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-dashboard-'));
  let server: TestServer;
  let browser: Browser;
  let worker: Worker;
  let runId: string;
  beforeAll(async () => {
    const [started, opened, model] = await Promise.all([
      startTestServer({ modelRoots: [folder] }),
      launchBrowser(),
      makeSprout(folder),
    ]);
    server = started;
    browser = opened;
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
    const client = createClient({ url: server.url, key: server.adminKey });
    runId = (
      await client.runs.create({
        // a step a second: whoever cancels waits until the files of every step are uploaded
        spec: sproutSpec(model, {
          steps: 2000,
          checkpoint: { every: 10, keep: 2 },
          rollout: { promptsPerStep: 4, groupSize: 8, maxResponseTokens: 40 },
        }),
        tags: ['watched'],
      })
    ).id;
    await client.dispose();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await worker.close();
    await server.close();
    removeFolder(folder);
  });

  const open = async (key: string, path: string) => {
    const watched = await openWatched(browser, server.url);
    await watched.page.goto(`${server.url}${path}#key=${key}`);
    return watched;
  };
  const stepOf = async (page: Page): Promise<number> =>
    Number(/: (\d+) of/.exec((await page.textContent('.story')) ?? '')?.[1] ?? -1);

  it('signs in by a link, watches a run live, and sees what is played now', async () => {
    const { page, strayed, complaints } = await open(server.adminKey, '/');
    await page.waitForSelector(`[data-run="${runId}"] :text("running")`);
    expect([page.url(), await page.evaluate('location.hash')]).toEqual([`${server.url}/`, '']);
    await page.click(`[data-run="${runId}"] .name-cell a`);
    await page.waitForSelector('[data-panel="success"] canvas');
    const before = await stepOf(page);
    await expect.poll(() => stepOf(page)).toBeGreaterThan(Math.max(1, before + 1));
    await page.click('[data-panel="entropy"] button[aria-label^="What is"]');
    await page.waitForSelector('.about dl:has-text("rollout/entropy")');
    await page.focus('[role="slider"]');
    await page.keyboard.press('Home');
    await page.click('text=its trajectories');
    await page.waitForSelector('.trajectories .line a');
    expect(new URL(page.url()).search).toBe('?from=1&to=1');
    // what is played now, pushed; its number of steps moves on
    // where one points at the list it stays with its step, whose last turns may not have been told
    await page.mouse.move(0, 0);
    await page.waitForSelector('.in-flight .reader pre.part:not(:has-text("…"))');
    const otherThan = async (): Promise<string> => {
      const id = (await page.getAttribute('.in-flight [data-episode]', 'data-episode')) ?? '';
      return `.in-flight [data-episode]:not([data-episode^="${id.split('/').slice(0, 2).join('/')}/"])`;
    };
    await page.waitForSelector(await otherThan());
    // it stays with its step where one points at it
    await page.hover('.in-flight .rows');
    const next = await otherThan();
    await page.waitForSelector('.in-flight button:has-text("is played: show")');
    expect(await page.locator(next).count()).toBe(0);
    await page.click('.in-flight button:has-text("is played: show")');
    await page.waitForSelector(next);
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  });

  it('opens a trajectory of a running run and a token of it, which a permanent link shows again', async () => {
    const { page, strayed, complaints } = await open(
      server.adminKey,
      `/runs/${runId}/trajectories?from=1&to=1`,
    );
    await page.waitForSelector('.trajectories .line a');
    await page.selectOption('[aria-label="Split"]', 'train');
    await page.waitForSelector('.trajectories .line a:has-text("train/1/")');
    await page.click('.trajectories .line a:has-text("train/1/")');
    await page.waitForSelector('.message.written pre');
    const response = (await page.textContent('.message.written pre')) ?? '';
    await page.click('button:has-text("Tokens")');
    await page.click('.token >> nth=1');
    await page.waitForSelector('.token-detail :text("Log-probability")');
    const tokens = await page.locator('.tokens').first().locator('.token').allTextContents();
    const text = tokens.join('').replaceAll('·', ' ').replaceAll('⏎', '\n').replace('⟨end of turn⟩', '');
    expect(response).toContain(text);
    // a permanent link: another page shows the same token
    const [link, key] = [new URL(page.url()), server.adminKey];
    const second = await open(key, link.pathname + link.search);
    await second.page.waitForSelector('.token[aria-pressed="true"]');
    expect(await second.page.textContent('.token-detail')).toBe(await page.textContent('.token-detail'));
    await second.page.context().close();
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  });

  it('cancels a run, and shows where it ran, what that printed and how to make it again', async () => {
    const { page, strayed, complaints } = await open(server.adminKey, `/runs/${runId}`);
    await page.click('button:has-text("Cancel")');
    await page.click('dialog button:has-text("Cancel run")');
    await page.waitForSelector('.badge:has-text("cancelled")');
    await page.waitForSelector('.events :text("The run is cancelled")');
    await page.click('nav.tabs >> text=Log');
    await page.click('[aria-label="Lines of attempt 1 only"]');
    await page.waitForSelector('[role="status"]:has-text("of attempt 1")');
    expect(await page.textContent('table[aria-label="Attempts"] tbody tr')).toMatch(/process \d+.*\d+–\d+/);
    await page.click('nav.tabs >> text=Settings');
    await page.waitForSelector('.source code:has-text("espalier run create ")');
    // what the processors of the worker did meanwhile
    await page.click('nav >> text=Workers');
    await page.waitForSelector('.device-history svg[aria-label^="busy, last 24 hours: "] circle');
    await page.waitForSelector('.device-history svg[aria-label^="memory in use, last 24 hours: "] circle');
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  });

  it('follows the log of a process, finds its lines, and says of each job in the queue why it waits', async () => {
    const { page, complaints } = await open(server.adminKey, '/');
    await page.waitForSelector(`[data-run="${runId}"]`);
    await checkLog(server, page);
    await checkWaits(server, page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('lives through a restart of the server, and goes on with what happened meanwhile', async () => {
    const writer = await createWriter(server);
    await writer.write([metricsEvent(1, { 'rollout/success_rate': 0.25 })]);
    const { page } = await open(server.adminKey, `/runs/${writer.runId}`);
    await page.waitForSelector('.tile .value a:text-is("25 %")');
    server = await server.restart(() =>
      page.waitForSelector('.banner:has-text("The server does not answer")'),
    );
    await page.waitForSelector('.banner', { state: 'detached' });
    // the view that was open goes on
    await writer.on(server).write([metricsEvent(2, { 'rollout/success_rate': 0.375 })]);
    await page.waitForSelector('.tile .value a:text-is("38 %")');
    const again = await createWriter(server);
    await again.write([metricsEvent(1, { 'rollout/success_rate': 0.5 })]);
    await page.click('nav >> text=Runs');
    await page.click(`[data-run="${again.runId}"] .name-cell a`);
    await page.waitForSelector('.tile .value a:text-is("50 %")');
    await again.write([metricsEvent(2, { 'rollout/success_rate': 0.75 })]);
    await page.waitForSelector('.tile .value a:text-is("75 %")');
    await page.context().close();
  });

  it('gives a viewer no buttons, and a revoked key the sign-in with the reason', async () => {
    const key = await server.createKey({ name: 'reader', role: 'viewer' });
    const writer = await createWriter(server);
    const { page } = await open(key, `/runs/${writer.runId}`);
    await page.waitForSelector('.badge:has-text("running")');
    expect(await page.locator('button:has-text("Cancel")').count()).toBe(0);
    const admin = createClient({ url: server.url, key: server.adminKey });
    const { items } = await admin.keys.list();
    await admin.keys.revoke(items.find(({ name }) => name === 'reader')?.id ?? '');
    await admin.dispose();
    await page.waitForSelector('[role="alert"]:has-text("no longer valid")');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(key);
    await page.fill('#key', key);
    await page.click('text="Sign in"');
    await page.waitForSelector('[role="alert"]:has-text("unknown, or was revoked")');
    await page.fill('#key', server.adminKey);
    await page.click('text="Sign in"');
    await page.click('text=Sign out');
    await page.waitForSelector('#key');
    await page.context().close();
  });

  it('compares runs in groups, by a link that keeps what was brushed', async () => {
    const source = server.app.get(DataSource).getRepository(Run);
    for (const [rate, seed, reward] of [
      [0.1, 1, 0.2],
      [0.1, 2, 0.4],
      [0.5, 1, 0.9],
    ] as const) {
      const writer = await createWriter(server);
      await source.update(writer.runId, { spec: { seed, optimizer: { rate } }, group: 'rates' } as never);
      await writer.write([metricsEvent(1, { 'rollout/reward_mean': 0 })]);
      await writer.write([metricsEvent(2, { 'rollout/reward_mean': reward })]);
    }
    const { page, strayed, complaints } = await open(server.adminKey, '/compare');
    await page.selectOption('[aria-label="Group"]', 'rates');
    await page.waitForSelector('[data-panel="rollout/reward_mean"] canvas');
    await page.click('.view-bar button:has-text("optimizer.rate")');
    // mean of 0.2 and 0.4, with Student's interval for two: 12.706 · 0.1
    await page.waitForSelector('[data-part="groups"] tr:has-text("rate 0.1"):has-text("0.3 [−0.971, 1.57]")');
    await page.waitForSelector('[data-part="test"]:has-text("3 of 3 runs stored no validation")');
    await page.selectOption('[aria-label="Keep by"]', 'rollout/reward_mean');
    await page.fill('[aria-label="Least"]', '0.3');
    await page.click('button:text-is("Keep")');
    await page.waitForSelector(':text("2 of 3 runs are within the brushes")');
    const second = await open(server.adminKey, new URL(page.url()).pathname + new URL(page.url()).search);
    await second.page.waitForSelector(':text("2 of 3 runs are within the brushes")');
    await second.page.waitForSelector('[data-part="groups"] tr:has-text("rate 0.1") b:text-is("0.4")');
    // one against another: settings across, outcomes upwards; a dot opens its run
    await second.page.selectOption('[aria-label="Across"]', 'seed');
    const dots = second.page.locator('[data-part="scatter"] a');
    await expect.poll(() => dots.count()).toBe(2);
    expect(await dots.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')).sort())).toEqual([
      expect.stringMatching(/: 0\.4 at 2$/),
      expect.stringMatching(/: 0\.9 at 1$/),
    ]);
    // a line for each run; what is dragged along an axis is kept
    const lines = second.page.locator('[data-part="parallel"] svg.parallel path');
    expect([
      await lines.count(),
      await second.page.locator('[data-part="parallel"] path.out').count(),
    ]).toEqual([3, 1]);
    await second.page.click('[data-part="parallel"] button:has-text("reward_mean")');
    await expect.poll(() => second.page.locator('[data-part="parallel"] path.out').count()).toBe(0);
    const axis = second.page.locator('[data-part="parallel"] g:has(title:text-is("optimizer.rate")) .touch');
    const { x = 0, y = 0, width = 0, height = 0 } = (await axis.boundingBox()) ?? {};
    await second.page.mouse.move(x + width / 2, y + 1);
    await second.page.mouse.down();
    await second.page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
    await second.page.mouse.up();
    await second.page.waitForSelector(':text("1 of 3 runs are within the brushes")');
    await dots.first().click();
    await second.page.waitForURL(/\/runs\/run-/);
    expect([strayed, complaints]).toEqual([[], []]);
    await second.page.context().close();
    await page.context().close();
  });

  it('goes to the same place of another step by ← and →, and tells weights that are not known from version 0', async () => {
    const client = createClient({ url: server.url, key: server.adminKey });
    const { page, complaints } = await open(server.adminKey, '/');
    await page.waitForSelector('nav[aria-label="Views"]');
    await checkWalkOfSteps(client, runId, page);
    await page.waitForSelector('.facts div:has-text("Weights"):has-text("version 0")');
    const rated = await writeRatedRun(server);
    await page.goto(
      `${server.url}/runs/${rated.runId}/trajectories/validation/${ratedSteps.before}/0/0?view=turns`,
    );
    await page.waitForSelector('.facts div:has-text("Weights"):has-text("version not known")');
    await page.waitForSelector('.turn :text("weights version not known")');
    expect(complaints).toEqual([]);
    await Promise.all([client.dispose(), page.context().close()]);
  });

  it('has no serious finding of axe in any view, light and dark', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const client = createClient({ url: server.url, key: server.adminKey });
    const [row] = (await client.trajectories.list(runId, { split: 'train', toStep: 1 }, { first: 1 })).items;
    const rated = await writeRatedRun(server);
    const sources = [{ runId: rated.runId, split: 'validation' as const }];
    const rubric = { kind: 'rubric', rubric: 'collapse', sources, size: 1 } as const;
    const [open, closed] = [await client.ratings.create(rubric), await client.ratings.create(rubric)];
    await client.ratings.close(closed.id);
    const halves = [ratedSteps.before, ratedSteps.after].map((step) => ({
      ...sources[0],
      fromStep: step,
      toStep: step,
    }));
    const paired = await client.ratings.create({ kind: 'pairwise', sources: halves as never, size: 1 });
    const at = (await client.runs.checkpoints(runId)).find(({ canFork }) => canFork)?.step ?? 'none';
    await client.dispose();
    const verdicts = [
      `/runs/${rated.runId}/verdicts`,
      '/ratings',
      ...[open, closed, paired].map(({ id }) => `/ratings/${id}`),
      `/runs/${runId}/family?fork=${runId}@${at}`,
      `/new?run=${runId}`,
    ];
    const { page } = await openWatched(browser, server.url);
    const serious = async (address: string, rules: object = {}): Promise<string[]> => {
      const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
      const found = (await page.evaluate(
        `axe.run(document, ${options}).then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => id + ' ' + nodes[0].target.join(' ')))`,
      )) as string[];
      return found.map((finding) => `${address}: ${finding}`);
    };
    // only colours differ in the dark
    const colours = { runOnly: ['color-contrast', 'link-in-text-block'] };
    const both = async (address: string): Promise<string[]> => {
      await page.waitForLoadState('networkidle');
      await page.evaluate(axe);
      const light = await serious(`light ${address}`);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.waitForSelector('html[data-theme="dark"]');
      const dark = await serious(`dark ${address}`, colours);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      return [...light, ...dark];
    };
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(server.url);
    const found = await both('sign-in');
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('nav[aria-label="Views"]');
    for (const address of [...viewsOf(runId, row?.id ?? ''), ...verdicts]) {
      await page.goto(server.url + address);
      // a view that is not there has no finding either
      await page.waitForSelector('#content h1, #content h2');
      found.push(...(await both(address)));
      const content = page.locator('#content');
      const broken = content
        .locator('[role="alert"], .waiting')
        .or(content.locator('.notice', { hasText: /no such|could not be/ }));
      expect([address, await broken.allTextContents()]).toEqual([address, []]);
    }
    expect(found).toEqual([]);
    await page.context().close();
  }, 240_000);
});
