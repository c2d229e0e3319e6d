/** @file Starting runs and forks from the page, in real Chromium, against a server with a worker that trains. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { removeFolder, waitFor } from '@espalier/testing';
import { startWorker, type Worker } from '@espalier/worker';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.skipIf(!canBrowse)('a new run and a fork from the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-start-'));
  let server: TestServer;
  let browser: Browser;
  let worker: Worker;
  let client: Client;
  let parentId: string;
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
      slots: 3,
    };
    worker = await startWorker(options as never, { log: quiet });
    client = createClient({ url: server.url, key: server.adminKey });
    const spec = sproutSpec(model, {
      steps: 4,
      checkpoint: { every: 2, keep: 9 },
      algorithm: { use: 'grpo' },
    });
    parentId = (await client.runs.create({ source: JSON.stringify(spec), name: 'parent' })).id;
    await waitFor('it has ended', async () => (await client.runs.get(parentId)).state === 'finished');
  }, 180_000);
  afterAll(async () => {
    await client.dispose();
    await browser.close();
    await worker.close();
    await server.close();
    removeFolder(folder);
  });

  const open = async (key: string, path: string) => {
    const watched = await openWatched(browser, server.url);
    watched.page.setDefaultTimeout(60_000);
    await watched.page.setViewportSize({ width: 1440, height: 900 });
    await watched.page.goto(`${server.url}${path}#key=${key}`);
    return watched;
  };

  it('starts one from another, the form and the YAML being the same, with the source of each value', async () => {
    const { page, strayed, complaints } = await open(server.adminKey, `/new?run=${parentId}`);
    await page.waitForSelector('[role="status"]:text-is("valid")');
    // the form writes into the text …
    await page.fill('#option-steps', '3');
    await page.press('#option-steps', 'Enter');
    await expect.poll(() => page.textContent('.cm-content')).toContain('"steps": 3');
    // … and the text into the form
    await page.click('.cm-content');
    await page.keyboard.press('Control+A');
    const written = (await page.locator('.cm-line').allTextContents()).join('\n').replace('"grpo"', '"ppo"');
    await page.keyboard.insertText(written);
    await expect.poll(() => page.inputValue('#option-algorithm-use')).toBe('ppo');
    await page.waitForSelector('.sourced > div:has-text("algorithm.use") .tag:text-is("file")');
    await page.click('button:has-text("All ")');
    await page.waitForSelector('.sourced > div:has-text("update.epochs") .tag:text-is("default")');
    await page.fill('[aria-label="Name of the run"]', 'from the form');
    await page.click('button:has-text("Start run")');
    await page.waitForURL(/\/runs\/run-/);
    const made = await client.runs.get(new URL(page.url()).pathname.split('/')[2] ?? '');
    expect(made).toMatchObject({ name: 'from the form', steps: 3, spec: { algorithm: { use: 'ppo' } } });
    await client.runs.cancel(made.id, { now: true });
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('sets rewards and lists of words in the form, and names what only the YAML can set', async () => {
    const { page } = await open(server.adminKey, '/new?recipe=bandit-grpo');
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.click('button:text-is("Add a reward")');
    await page.waitForSelector('[aria-label="Reward 1"] select');
    await page.selectOption('#option-rewards-0-use', 'length');
    await page.waitForSelector('.cm-line:has-text("length")');
    await page.waitForSelector(
      'fieldset:has(> legend:text-is("environments")):has-text("edited in the YAML")',
    );
    await page.fill('#option-plugins', 'one, two');
    await page.press('#option-plugins', 'Enter');
    await expect.poll(() => page.textContent('.cm-content')).toMatch(/one.*two/);
    await page.context().close();
  }, 120_000);

  it('completes keys and plugins, and shows what the server refuses at its line and its field', async () => {
    const { page } = await open(server.adminKey, '/new?recipe=bandit-grpo');
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nrollout:\n  groupS');
    await page.click('.cm-tooltip-autocomplete li:has-text("groupSize")');
    await page.waitForSelector('.cm-line:has-text("groupSize:")');
    await page.keyboard.type('many');
    await page.waitForSelector('.problems :text("rollout.groupSize")');
    await page.waitForSelector('[data-option="rollout.groupSize"] .bad');
    await page.waitForSelector('.cm-lintRange-error');
    expect(await page.isDisabled('button:has-text("Start run")')).toBe(true);
    // what was typed is not replaced unasked
    await page.selectOption('#recipe', 'countdown-grpo');
    await page.click('dialog button:has-text("Keep editing")');
    expect([await page.inputValue('#recipe'), new URL(page.url()).search]).toEqual([
      'bandit-grpo',
      '?recipe=bandit-grpo',
    ]);
    await page.waitForSelector('.cm-line:has-text("groupSize: many")');
    await page.fill('#option-rollout-groupSize', '4');
    await page.press('#option-rollout-groupSize', 'Enter');
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.selectOption('#recipe', 'countdown-grpo');
    await page.click('dialog button:has-text("Discard and load")');
    await page.waitForURL(/recipe=countdown-grpo/);
    await page.waitForSelector('.cm-line:has-text("countdown")');
    // nothing was changed, so nothing is asked
    await page.selectOption('#recipe', 'bandit-grpo');
    await page.waitForURL(/recipe=bandit-grpo/);
    // a viewer may look and plan, and start nothing
    const key = await server.createKey({ name: 'looker', role: 'viewer' });
    const viewer = await open(key, '/new?recipe=bandit-grpo');
    await viewer.page.waitForSelector('.plan-card :text("Your key is read-only")');
    expect(await viewer.page.locator('button:has-text("Start run")').count()).toBe(0);
    await viewer.page.context().close();
    await page.context().close();
  }, 120_000);

  it('acts on several runs at once, and keeps views of the list', async () => {
    const { page } = await open(server.adminKey, '/runs?state=finished');
    await page.check('[aria-label="Choose all that are listed"]');
    await page.fill('[aria-label="Tag to add"]', 'batch');
    await page.click('button:has-text("Add tag")');
    await page.waitForSelector(`[data-run="${parentId}"] .tag:has-text("batch")`);
    await page.click('.bulk button:has-text("Pause")');
    // each run is done or refused by itself
    await page.waitForSelector('.bulk .problems :text("finished")');
    await page.click('button:has-text("Save view")');
    await page.fill('[aria-label="Name of the view"]', 'done');
    await page.click('button:text-is("Save")');
    await page.goto(`${server.url}/runs`);
    await page.selectOption('[aria-label="Saved view"]', 'done');
    expect(new URL(page.url()).search).toBe('?state=finished');
    await page.context().close();
  }, 120_000);

  it('shows keys and the audit log to admins, and a new key only once', async () => {
    const { page } = await open(server.adminKey, '/keys');
    await page.fill('[aria-label="Name of the key"]', 'guest');
    await page.click('button:has-text("Create key")');
    const secret = (await page.textContent('.secret code')) ?? '';
    const guest = createClient({ url: server.url, key: secret });
    expect(await guest.me()).toMatchObject({ name: 'guest', role: 'viewer' });
    await page.click('tr:has-text("guest") button:has-text("Revoke")');
    await page.click('dialog button:has-text("Revoke key")');
    await page.waitForSelector('tr:has-text("guest") :text("revoked")');
    await expect(guest.me()).rejects.toMatchObject({ code: 'client.refused' });
    await guest.dispose();
    await page.click('nav >> text=Audit');
    await page.waitForSelector('tr:has-text("revokeKey")');
    await page.click('button:has-text("Check the chain")');
    await page.waitForSelector('[role="status"]:has-text("each follows from the one before")');
    await page.context().close();
  }, 120_000);

  it('forks at a dot of the family tree, with only what is changed, and sees the twin agree', async () => {
    const { page, strayed, complaints } = await open(server.adminKey, `/runs/${parentId}/family`);
    await page.click('button[aria-label="Fork parent from step 2"]');
    expect(new URL(page.url()).search).toBe(`?fork=${encodeURIComponent(`${parentId}@2`)}`);
    await page.fill('[aria-label="Option 1"]', 'optimizer.learningRate');
    await page.fill('[aria-label="Value 1"]', 'much');
    await page.waitForSelector('.fork-panel .problems :text("optimizer.learningRate")');
    await page.fill('[aria-label="Value 1"]', '0.002');
    await page.waitForSelector('.differences tr:has-text("optimizer.learningRate"):has-text("0.002")');
    expect(await page.locator('.differences tbody tr').count()).toBe(1);
    await page.fill('[aria-label="Name of the fork"]', 'changed');
    await page.click('button:has-text("Start fork and twin")');
    await page.waitForSelector('.tree-row:has-text("changed")');
    await page.waitForSelector('.tree-row:has-text("twin of parent") .badge:has-text("twin = to 4")');
    await page.waitForSelector('button[aria-label="Fork changed from step 4"]');
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('goes from the form to a cancelled run: watched, opened, forked, continued and rated', async () => {
    const { page, strayed, complaints } = await open(server.adminKey, `/new?run=${parentId}`);
    await page.waitForSelector('[role="status"]:text-is("valid")');
    // few checkpoints, as every one that waits is uploaded before a cancelled run has ended
    for (const [option, value] of [
      ['steps', '5000'],
      ['checkpoint-every', '10'],
      ['checkpoint-keep', '900'],
    ] as const) {
      await page.fill(`#option-${option}`, value);
      await page.press(`#option-${option}`, 'Enter');
    }
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.fill('[aria-label="Name of the run"]', 'journey');
    await page.click('button:has-text("Start run")');
    await page.waitForURL(/\/runs\/run-/);
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    // watched live: the step goes on by itself
    await page.waitForSelector('[data-panel="success"] canvas');
    const step = async () => Number(/: (\d+) of/.exec((await page.textContent('.story')) ?? '')?.[1] ?? -1);
    const before = await step();
    await expect.poll(step, { timeout: 20_000 }).toBeGreaterThan(Math.max(5, before + 1));
    // a token of its first step
    await page.focus('[role="slider"][aria-label="Step"]');
    await page.keyboard.press('Home');
    await page.click('.steps a:text-is("its tokens")');
    await page.click('.trajectories .body a:has-text("train/1/0/0")');
    await page.click('.token >> nth=1');
    await page.waitForSelector('.token-detail dt:text-is("Weights")');
    const opened = new URL(page.url()).pathname;
    // forked, and its twin agrees
    await page.click('nav.tabs >> text=Family');
    await page.click('button[aria-label="Fork journey from step 10"]');
    await page.fill('[aria-label="Option 1"]', 'optimizer.learningRate');
    await page.fill('[aria-label="Value 1"]', '0.002');
    await page.waitForSelector('.differences tr:has-text("optimizer.learningRate")');
    await page.fill('[aria-label="Name of the fork"]', 'another way');
    await page.click('button:has-text("Start fork and twin")');
    await page.waitForSelector('.tree-row:has-text("twin of journey") .badge:has-text("twin = to ")');
    const forks = (await client.runs.list({ states: ['running'] })).items.filter((run) => run.id !== id);
    for (const fork of forks) await client.runs.cancel(fork.id, { now: true });
    // a checkpoint goes on from the state that it was in
    await page.goto(`${server.url}${opened}?view=turning`);
    expect(await page.inputValue('label:has-text("Times") input')).toBe('32');
    await page.click('button:text-is("From turn 1")');
    const continued = page.locator('.continued:has-text("32 times") tr[data-turn="0"]');
    await continued.waitFor();
    // a rate with its interval, and how all 32 ended
    expect(await continued.textContent()).toMatch(/%.*%? to .*%/);
    const ends = (await continued.locator('td').last().textContent()) ?? '';
    expect([...ends.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)).toBe(32);
    // rated blind, in pairs of two ranges of its steps
    await page.goto(`${server.url}/runs/${id}/verdicts?a-from=1&a-to=1&b-from=2&b-to=2&split=train`);
    await page.selectOption('label:has-text("pairs of") select', 'any');
    await page.fill('label:has-text("at most") input', '1');
    await page.click('button:has-text("Make a rating set")');
    await page.waitForURL(/\/ratings\/rating-/);
    await page.getByRole('region', { name: 'Left' }).waitFor();
    await page.keyboard.press('t');
    const rating = new URL(page.url()).pathname.split('/')[2] ?? '';
    await expect
      .poll(async () => (await client.ratings.open(rating)).progress)
      .toMatchObject([{ name: 'admin', rated: 1 }]);
    // cancelled
    await page.goto(`${server.url}/runs/${id}`);
    await page.click('button:has-text("Cancel")');
    await page.click('dialog button:has-text("Cancel run")');
    await page.waitForSelector('.badge:has-text("cancelled")');
    expect((await client.runs.get(id)).state).toBe('cancelled');
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 240_000);

  it('estimates what a run will take, and names settings without effect', async () => {
    const { page, complaints } = await open(server.adminKey, '/new?recipe=bandit-grpo');
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.click('.plan button:text-is("Estimate")');
    await page.waitForSelector(
      '.plan-facts div:has-text("Estimated memory") b:text-matches("[0-9] (MB|GB|MiB|GiB)")',
    );
    await page.waitForSelector('.plan-facts div:has-text("Estimated time") b:not(:text-is("unknown"))');
    expect(await page.locator('.plan .hint:has-text("has no effect here")').count()).toBe(0);
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\ncriticOptimizer:\n  learningRate: 0.001\n');
    await page.waitForSelector('.plan .hint:has-text("criticOptimizer"):has-text("grpo has no critic")');
    // what is typed changes the plan, whose cost is asked for again
    await page.waitForSelector('.plan button:text-is("Estimate"), .plan-facts :text("Estimated memory")');
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 120_000);
});
