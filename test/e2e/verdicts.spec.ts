/** @file The verdict room in Chromium: two users judge, comment and rate the same blind set, and see the same agreement. */
import { createClient } from '@espalier/client';
import { ruleNames } from '@espalier/contracts/health';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { inspectPage, isVisible, payloads } from '../support/payloads.js';
import { writeRatedRun } from '../support/rated-run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const payload = '<img src=x onerror="window.pwned=1">\u202e';

describe.skipIf(!canBrowse)('the verdict room, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let runId: string;
  const complaints: string[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    ({ runId } = await writeRatedRun(server));
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  /** Signs in on a page of its own. */
  const signIn = async (name: string): Promise<Page> => {
    const key = await server.createKey({ name, role: 'operator', projects: ['default'] });
    const { page, complaints: own } = await openWatched(browser, server.url);
    page.on('close', () => complaints.push(...own));
    await page.goto(`${server.url}/#key=${key}`);
    await page.getByRole('link', { name: 'Ratings' }).waitFor();
    return page;
  };
  /** Rates what is shown by keys: `wanted` of the source whose model looks for the switch. */
  const rateAll = async (page: Page, wanted: readonly ('before' | 'after' | 'tie')[]): Promise<void> => {
    for (const [rated, one] of wanted.entries()) {
      await page.getByText(`${rated} of ${wanted.length} rated`).waitFor();
      const left = page.getByRole('region', { name: 'Left' });
      await left.waitFor();
      // which pair it is: the same for both users, whose order differs
      const isLeftBefore = (await left.innerText()).includes('I look for the switch');
      const key = one === 'tie' ? 't' : (one === 'before') === isLeftBefore ? 'ArrowLeft' : 'ArrowRight';
      await page.keyboard.press(key);
    }
    await page.getByRole('button', { name: 'Finish and see the results' }).click();
    await page.getByRole('heading', { name: 'Results' }).waitFor();
  };

  it('two users judge an alarm, answer each other and rate a blind set', async () => {
    const [ann, bob] = [await signIn('ann'), await signIn('bob')];
    for (const page of [ann, bob]) await page.goto(`${server.url}/runs/${runId}/verdicts`);
    await ann.getByRole('heading', { name: 'Alarm at step 8' }).waitFor();
    await ann.getByText('fires below').waitFor();
    await ann.getByRole('button', { name: 'Real', exact: true }).click();
    await bob.getByText('ann Real').waitFor();
    await bob.getByLabel('Comment: text').fill(`see step 5 ${payload}`);
    await bob.getByRole('button', { name: 'Comment', exact: true }).click();
    // pushed to the other page, as text
    await ann.getByText('<img src=x').waitFor();
    await ann.getByRole('link', { name: 'step 5', exact: true }).waitFor();
    expect(await ann.evaluate("'pwned' in window")).toBe(false);

    await ann.getByLabel('split').selectOption('validation');
    await ann.getByRole('button', { name: 'Make a rating set' }).click();
    await ann.waitForURL(/\/ratings\/rating-/);
    await ann.getByRole('region', { name: 'Left' }).waitFor();
    expect(await ann.locator('main').innerText()).not.toMatch(/reward|success|validation\//);
    // taken back once
    await ann.keyboard.press('t');
    await ann.getByText('1 of 4 rated').waitFor();
    await ann.keyboard.press('u');
    await rateAll(ann, ['before', 'before', 'before', 'before']);
    await bob.goto(ann.url());
    await rateAll(bob, ['before', 'before', 'tie', 'before']);

    // by hand: of 8 values 7 are a and 1 is a tie, and of the four pairs one differs (o = 2):
    // α = 1 − 7 · 2 / (2 · 7 · 1) = 0
    for (const page of [ann, bob]) {
      await page.getByText('of 2 raters').waitFor();
      expect(await page.locator('td[data-level="nominal"]').innerText()).toBe('0.000');
      expect(await page.locator('.preference').innerText()).toContain('A won 4, B won 0');
    }
    const download = bob.waitForEvent('download');
    await bob.getByRole('button', { name: 'Export ratings' }).click();
    const stream = await (await download).createReadStream();
    const rows = (await stream.toArray()).join('').trim().split('\n');
    expect(rows).toHaveLength(1 + 8 + 1);
    expect(JSON.parse(rows.at(-1) ?? '')).toMatchObject({ agreements: [{ level: 'nominal', alpha: 0 }, {}] });
    for (const page of [ann, bob]) await page.close();
    expect(complaints).toEqual([]);
  }, 120_000);

  it('each rule has the chart of its metric, and a refused question says so', async () => {
    const rules = ruleNames.filter((name) => name !== 'entropy-fall');
    const { runId: all } = await writeRatedRun(server, 'default', '', rules);
    const page = await signIn('eve');
    let isRefused = true;
    await page.route('**/graphql', async (route) =>
      isRefused && route.request().postData()?.includes('MetricHistory') === true
        ? route.fulfill({ status: 500, json: { errors: [{ message: 'the history is refused' }] } })
        : route.continue(),
    );
    await page.goto(`${server.url}/runs/${all}/verdicts`);
    const findings = page.locator('.finding');
    await findings.first().getByRole('alert').waitFor();
    isRefused = false;
    await page.reload();
    await findings.first().getByRole('img').waitFor();
    await expect.poll(() => findings.getByRole('img').count()).toBe(ruleNames.length);
    expect(await page.locator('.finding:has-text("reports no metric")').count()).toBe(0);
    await page.close();
    complaints.length = 0;
  }, 120_000);

  it('what people write is text everywhere: comments, verdicts, rubrics, names of rating sets', async () => {
    const client = createClient({ url: server.url, key: server.adminKey });
    const written = payloads.filter(isVisible);
    const all = written.join('\n');
    const hostile = await writeRatedRun(server, 'default', payloads.join('\n'));
    const [alarm] = await client.verdicts.alarms({ runId: hostile.runId });
    const alertId = alarm?.id ?? '';
    await expect(
      client.verdicts.judge(alertId, { judgement: 'confirmed', reason: '\u001b[2J' }),
    ).rejects.toThrow('has control characters');
    await client.verdicts.judge(alertId, { judgement: 'confirmed', reason: all });
    for (const text of [all, ...written.slice(0, 20)])
      await client.runs.comment(hostile.runId, { text, alertId });
    const [first = '', second = ''] = written;
    const set = await client.ratings.create({
      kind: 'rubric',
      name: first,
      instructions: all.slice(0, 5000),
      criteria: [
        { name: 'one', question: second, scale: 'yes-no', low: first, high: second },
        { name: 'two', question: written[4] ?? '', scale: 'one-to-five', low: first, high: second },
      ],
      sources: [{ runId: hostile.runId, split: 'validation' }],
      size: 1,
    });
    const page = await signIn('mal');
    const views = [
      [`/runs/${hostile.runId}/verdicts`, '<details open ontoggle'],
      ['/ratings', first],
      [`/ratings/${set.id}`, second],
    ] as const;
    for (const [address, text] of views) {
      await page.goto(server.url + address);
      await page.getByText(text).first().waitFor();
      await page.waitForLoadState('networkidle');
      expect([address, await page.evaluate(inspectPage)]).toEqual([address, [undefined, 0]]);
    }
    // what the model wrote, with its control characters as marks
    await page.getByText('Lamp').first().waitFor();
    const rated = await page.locator('main').innerText();
    for (const mark of ['␛[2J', '⟨U+202E⟩', '␀', ...written.slice(0, 5)]) expect(rated).toContain(mark);
    await client.ratings.close(set.id);
    await page.reload();
    await page.getByText(second).first().waitFor();
    expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
    await page.goto(`${server.url}/runs/${hostile.runId}/verdicts`);
    await page.getByText('<details open ontoggle').first().waitFor();
    const shown = await page.locator('main').innerText();
    for (const text of written) expect(shown).toContain(text);
    await page.close();
    await client.dispose();
  }, 120_000);

  it('a rubric is rated by keys, and a viewer only reads', async () => {
    const client = createClient({ url: server.url, key: server.adminKey });
    const sources = [{ runId, split: 'validation' as const }];
    const set = await client.ratings.create({
      kind: 'rubric',
      rubric: 'collapse',
      sources,
      size: 1,
      name: payload,
    });
    const page = await signIn('cat');
    await page.goto(`${server.url}/ratings/${set.id}`);
    await page.getByText('Does the text repeat itself?').waitFor();
    for (const key of ['y', 'n', '4', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Finish and see the results' }).click();
    await page.getByText('1–5').first().waitFor();
    expect((await client.ratings.open(set.id)).progress).toMatchObject([{ name: 'cat', rated: 1 }]);
    expect(await page.evaluate("'pwned' in window")).toBe(false);
    await page.close();
    await client.dispose();
  }, 60_000);

  it('reads the same prompt at two checkpoints side by side, and says which solved it', async () => {
    const page = await signIn('reader');
    await page.goto(`${server.url}/compare?runs=${runId}`);
    await page.waitForSelector('[data-part="prompts"] select[aria-label="Prompt"]');
    await page.selectOption('[data-part="prompts"] select[aria-label="Prompt"]', { label: 'state 102' });
    expect(new URL(page.url()).searchParams.get('prompt')).toBe('102');
    // the first and the last validation are chosen by themselves
    const cell = (what: string) => page.locator(`[data-part="prompts"] .matrix [aria-label$="${what}"]`);
    expect(await cell('at step 5: solved').getAttribute('aria-pressed')).toBe('true');
    expect(await cell('at step 10: not solved').getAttribute('aria-pressed')).toBe('true');
    const transcripts = page.locator('.transcripts article');
    await transcripts.filter({ hasText: 'Lamp 2 is off.' }).nth(1).waitFor();
    expect(await transcripts.allTextContents()).toEqual([
      expect.stringMatching(/step 5.*I look for the switch first/s),
      expect.stringMatching(/step 10.*Press press press/s),
    ]);
    await cell('at step 5: solved').click();
    await expect.poll(() => transcripts.count()).toBe(1);
    // another prompt in the same cells
    await page.selectOption('[data-part="prompts"] select[aria-label="Prompt"]', { label: 'state 103' });
    await transcripts.filter({ hasText: 'Lamp 3 is off.' }).waitFor();
    await transcripts.getByRole('link').click();
    await page.waitForURL(/trajectories\/validation\/10\/3\/0$/);
    await page.close();
  });
});
