/** @file The story of a step in real Chromium: counts that agree with what is stored, and each leads to what it counts. */
import { createClient } from '@espalier/client';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { runCli } from '../support/run-cli.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { stepStory } from '../support/step-story.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

describe.skipIf(!canBrowse)('the story of a step, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let writer: EventWriter;
  let complaints: readonly string[];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    writer = await createWriter(server);
    await writer.write(stepStory);
    const watched = await openWatched(browser, server.url);
    ({ page, complaints } = watched);
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector(`[data-run="${writer.runId}"]`);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  const show = async (search: string): Promise<void> => {
    await page.goto(`${server.url}/runs/${writer.runId}/steps${search}`);
    await page.waitForSelector('h2:has-text("Where the tokens went")');
  };
  const stage = async (id: string): Promise<string[]> =>
    page.locator(`[data-stage="${id}"] td.number-cell`).allTextContents();
  const listed = async (): Promise<string[]> => {
    await page.waitForSelector('.trajectories .line a');
    return (await page.locator('.trajectories .body .line a').allTextContents()).sort();
  };

  it('tells the environments of a run of several apart, and lists metrics that have no panel', async () => {
    const mixed = await createWriter(server);
    await mixed.write([
      trajectoryEvent(1, 0, { id: 'train/1/0/0', group: 0, environmentTag: 'lake' }),
      trajectoryEvent(1, 0, { id: 'train/1/1/0', group: 1, environmentTag: 'box' }),
      metricsEvent(1, {
        'rollout/success_rate': 0.5,
        'tag/lake/rollout/success_rate': 0.25,
        'tag/box/rollout/success_rate': 0.75,
        'own/score': 1,
      }),
    ]);
    const path = `${server.url}/runs/${mixed.runId}`;
    await page.goto(path);
    await page.waitForSelector('.legend li:has-text("lake, training") b:text-is("25 %")');
    await page.click('summary:text-is("1 more metric")');
    await page.click('.more-metrics a:text-is("own/score")');
    await page.waitForURL(`**/compare?runs=${mixed.runId}&metrics=own%2Fscore`);
    await page.goto(`${path}/trajectories`);
    await page.waitForSelector('.trajectories [role="cell"]:text-is("box")');
    await page.waitForSelector('.muted:has-text("2 trajectories")');
    await page.selectOption('[aria-label="Environment"]', 'lake');
    await page.waitForSelector('.trajectories [role="cell"]:text-is("box")', { state: 'detached' });
    expect(await listed()).toEqual(['train/1/0/0']);
    await page.goto(`${path}/steps?from=1&to=1`);
    await page.click('[data-group="1/1"] a.tag:text-is("box")');
    await page.waitForSelector('.chips button:has-text("environment box")');
    await page.waitForSelector('[data-group="1/0"]', { state: 'detached' });
  });

  it('says where every token went, and that the stored trajectories agree', async () => {
    await show('?from=2&to=2');
    await page.waitForSelector('[data-check="agrees"]:has-text("10 stored trajectories")');
    expect(await stage('failed')).toEqual(['1', '5', '10 %']);
    expect(await stage('dropped/low-variance')).toEqual(['3', '15', '30 %']);
    expect(await stage('masked')).toEqual(['–', '1', '2.0 %']);
    expect(await stage('clipped')).toEqual(['–', '3', '6.0 %']);
    expect(await stage('trained')).toEqual(['4', '16', '32 %']);
    // several steps are summed
    await show('?from=1&to=2');
    expect(await stage('trained')).toEqual(['8', '32', '32 %']);
    expect(await page.textContent('[data-number="policy/entropy"] dd')).toBe('0.75 nats [0.5, 1]');
  });

  it('leads from a count to the trajectories behind it', async () => {
    await show('?from=2&to=2');
    await page.click('[data-stage="dropped/zero-variance"] a >> nth=0');
    expect(await listed()).toEqual(['train/2/3/1']);
    await show('?from=2&to=2');
    await page.click('[data-stage="clipped"] a');
    expect(await listed()).toEqual(['train/2/0/0', 'train/2/1/0']);
    expect(await page.getAttribute('.trajectories .body a >> nth=0', 'href')).toContain(
      'view=tokens&by=ratio',
    );
    await page.click('button:has-text("clipped tokens: yes")');
    await expect.poll(listed).toHaveLength(4);
    await show('?from=2&to=2');
    await page.click('[data-stage="masked"] a');
    expect(await listed()).toEqual(['train/2/0/0']);
    await show('?from=2&to=2');
    await page.click('[aria-label^="train/2/1/0: reward 10"]');
    await page.waitForURL(/trajectories\/train\/2\/1\/0$/);
  });

  it('orders the groups by their part in the update, and says what moved', async () => {
    await show('?from=2&to=2');
    const groups = page.locator('table[aria-label="Groups"] tbody tr');
    expect(await groups.evaluateAll((rows) => rows.map((one) => one.getAttribute('data-group')))).toEqual([
      '2/1',
      '2/0',
      '2/2',
      '2/3',
      '2/4',
    ]);
    expect(await groups.nth(0).textContent()).toContain('70 %');
    expect(await groups.nth(3).textContent()).toContain('1 dropped: low variance, 1 dropped: zero variance');
    expect(await groups.nth(4).textContent()).toContain('1 no loss tokens, 1 failed');
    expect(await page.textContent('[data-moved="reward"]')).toContain('Reward ↑ 10.4 from 0.444');
    expect(await page.textContent('[data-moved="reward"]')).toContain('δ = 1 [1, 1]');
    expect(await page.locator('.moved li').count()).toBe(1);
  });

  it('tells absent values apart, and never shows them as 0', async () => {
    await show('?from=3&to=3');
    await page.waitForSelector('[data-check="differs"]:has-text("flow/tokens/clipped: 4 counted, 3 stored")');
    expect(await page.textContent('[data-number="policy/gradient_norm"] dd')).toBe('not reported');
    expect(await page.textContent('[data-number="policy/kl_reference"] dd')).toBe('not reported by this run');
    await show('?from=4&to=4');
    await page.waitForSelector('.note:has-text("This step has no counts")');
    expect(await page.locator('.flow').count()).toBe(0);
    expect(await page.textContent('[data-number="policy/entropy"] dd')).toBe('not trained');
  });

  it('follows the keyboard, and a cell with the shift key extends the steps', async () => {
    await show('?from=2&to=2');
    await page.focus('[role="slider"]');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).search).toBe('?from=1&to=1');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => new URL(page.url()).search).toBe('?from=1&to=2');
    expect(complaints).toEqual([]);
  });

  it('walks the trajectories of a step by ↓ and ↑, from the bar and where one is open', async () => {
    const search = (): string => new URL(page.url()).search;
    await page.goto(`${server.url}/runs/${writer.runId}`);
    await page.focus('[role="slider"][aria-label="Step"]');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.walked:has-text("1 of"):has-text("/4/"), .walked:has-text("No trajectory")');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('.walked:has-text("1 of 10"):has-text("train/2/0/0")');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('.walked:has-text("2 of 10"):has-text("train/2/0/1")');
    expect(search()).toBe('?step=2&nth=2');
    // and by buttons, where there are no keys
    await page.click('.walked [aria-label="Trajectory before"]');
    await page.waitForSelector('.walked:has-text("1 of 10") [aria-label="Trajectory before"]:disabled');
    await page.click('.walked :text-is("Close")');
    await page.click('button:text-is("one by one")');
    await page.click('.walked:has-text("1 of 10") [aria-label="Trajectory after"]');
    await page.waitForSelector('.walked:has-text("2 of 10"):has-text("train/2/0/1")');
    expect(search()).toBe('?step=2&nth=2');
    await page.focus('[role="slider"][aria-label="Step"]');
    // another step has the same place
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('.walked:has-text("2 of 10"):has-text("train/1/0/1")');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.waitForSelector('.walked:has-text("1 of 10"):has-text("train/1/0/0")');
    await page.keyboard.press('Enter');
    await page.waitForURL(/trajectories\/train\/1\/0\/0\?from=1&to=1$/);
  });

  it('puts quantiles behind the rewards, names the dot that is pointed at, and narrows by a bar of the histogram', async () => {
    const search = (): string => new URL(page.url()).search;
    await show('?from=2&to=2');
    // nine rewards: five of 10 and four of 11
    await page.waitForSelector('.pointed:has-text("Median 10, middle half 10 to 11, middle 80 % 10 to 11.")');
    expect(await page.locator('[data-group="2/0"] .dots .band').count()).toBe(2);
    await page.hover('[aria-label^="train/2/1/1: reward 11"]');
    await page.waitForSelector('.pointed:has-text("train/2/1/1: reward 11")');
    const bars = page.locator('.reward-histogram .bin');
    const told = () => bars.evaluateAll((all) => all.map((one) => one.getAttribute('title')));
    expect(await told()).toEqual(['reward 10: 5 trajectories', 'reward 11: 4 trajectories']);
    await page.waitForSelector('.reward-histogram:has-text("9 trajectories, 1 more without a reward")');
    await bars.nth(1).click();
    await expect.poll(search).toBe('?from=2&to=2&least=11&most=11');
    await page.waitForSelector('.chips a:has-text("4 of 10 trajectories")');
    // the group whose second episode failed has none
    const groups = page.locator('table[aria-label="Groups"] tbody tr');
    await expect.poll(() => groups.count()).toBe(4);
    expect(await page.locator('.dots a.dim').count()).toBe(4);
    expect(await bars.nth(1).getAttribute('aria-pressed')).toBe('true');
    await page.click('.chips a:has-text("4 of 10 trajectories")');
    expect(await listed()).toEqual(['train/2/0/1', 'train/2/1/1', 'train/2/2/1', 'train/2/3/1']);
    // above the list it is of all that fits the rest of the filter
    await expect
      .poll(told)
      .toEqual([
        'reward 10: 5 trajectories, 0 fit the filter',
        'reward 11: 4 trajectories, 4 fit the filter',
      ]);
    await bars.nth(1).click();
    await expect.poll(listed).toHaveLength(10);
    await bars.nth(1).click();
    await expect.poll(listed).toHaveLength(4);
    await page.click('nav.tabs >> text=Steps');
    await bars.nth(1).click();
    await expect.poll(search).toBe('?from=2&to=2');
    await expect.poll(() => groups.count()).toBe(5);
    expect(complaints).toEqual([]);
  });

  it('finds trajectories by text, fields and labels, each in the address', async () => {
    const found = async (search: string): Promise<readonly (string | undefined)[]> => {
      await expect.poll(() => new URL(page.url()).search).toBe(search);
      await page.waitForSelector('.trajectories[aria-busy="false"], h2:text-is("No trajectory fits")');
      return (await page.locator('.trajectories .body .line a').allTextContents()).sort();
    };
    const words = await createWriter(server);
    await words.write([
      trajectoryEvent(1, 0, { text: 'the goblin sleeps', labels: ['cycle'], reward: 0.25 }),
      trajectoryEvent(1, 1, { text: 'the door is open', labels: ['cycle', 'dead-end'], reward: 0.5 }),
      trajectoryEvent(2, 2, { text: 'the goblin opens the door', success: false, reward: -1 }),
    ]);
    const list = `${server.url}/runs/${words.runId}/trajectories`;
    await page.goto(list);
    await page.fill('[type="search"][placeholder^="Search what was seen"]', 'goblin');
    await expect.poll(() => found('?text=goblin')).toEqual(['train/1/0/0', 'train/2/0/2']);
    await page.waitForSelector(':text("2 of 3 trajectories fit")');
    await page.fill('[type="search"][placeholder^="Search what was seen"]', 'goblin -door');
    await expect.poll(() => found('?text=goblin+-door')).toEqual(['train/1/0/0']);
    await page.click('button:text-is("Clear")');
    await page.selectOption('[aria-label="Failure label"]', 'cycle');
    await expect.poll(() => found('?label=cycle')).toEqual(['train/1/0/0', 'train/1/0/1']);
    await page.fill('[aria-label="Reward ≥"]', '0.3');
    await expect.poll(() => found('?label=cycle&least=0.3')).toEqual(['train/1/0/1']);
    await page.click('button:text-is("Clear")');
    await page.fill('[aria-label="From step"]', '2');
    await expect.poll(() => found('?from=2')).toEqual(['train/2/0/2']);
    await page.selectOption('[aria-label="Outcome"]', 'yes');
    await expect.poll(() => found('?from=2&success=yes')).toEqual(['train/2/0/2'].slice(1));
    await page.waitForSelector('h2:text-is("No trajectory fits"), h3:text-is("No trajectory fits")');
    expect(complaints).toEqual([]);
  });

  it('asks for what a link opens when it is pressed, before it is let go, and not again', async () => {
    const asked: string[] = [];
    const listen = (request: Request): void => void asked.push(request.postData() ?? '');
    const times = (operation: string, id = ''): number =>
      asked.filter((body) => body.includes(`query ${operation}(`) && body.includes(id)).length;
    await page.goto(`${server.url}/runs/${writer.runId}?step=2`);
    page.on('request', listen);
    await page.hover('.steps a:text-is("its tokens")');
    await page.mouse.down();
    await expect.poll(() => times('ListTrajectories')).toBe(1);
    expect(new URL(page.url()).pathname).toBe(`/runs/${writer.runId}`);
    await page.mouse.up();
    await page.hover('.trajectories a:text-is("train/2/0/1")');
    // the histogram above it asks for more of them
    expect(times('ListTrajectories', '"first":100')).toBe(1);
    await page.mouse.down();
    await expect.poll(() => times('OpenTrajectory', 'train/2/0/1')).toBe(1);
    expect(new URL(page.url()).pathname).toBe(`/runs/${writer.runId}/trajectories`);
    await page.mouse.up();
    await page.waitForURL(/trajectories\/train\/2\/0\/1\?/);
    page.off('request', listen);
    // its file is not stored here, which is told as ever
    await page.waitForSelector(':text("Its file is not stored yet")');
  });

  it('keeps what is chosen from view to view: steps brushed on a chart, and a filter', async () => {
    const search = (): string => new URL(page.url()).search;
    await page.goto(`${server.url}/runs/${writer.runId}`);
    const chart = page.locator('[data-panel="entropy"] .u-over');
    const { x, y, width, height } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 3 });
    await page.mouse.up();
    // the panel has the steps 1 and 2; other charts move along and say nothing
    await expect.poll(search).toBe('?from=1&to=2');
    await page.waitForSelector('.chips button:has-text("steps 1–2")');
    await page.click('[data-panel="entropy"] .u-over', { position: { x: 3, y: 20 } });
    await expect.poll(search).toBe('?from=1&to=2&step=1');
    await page.click('nav.tabs >> text=Steps');
    await expect.poll(search).toBe('?from=1&to=2');
    await page.waitForSelector('h2:has-text("Where the tokens went")');
    await page.click('nav.tabs >> text=Overview');
    await page.waitForSelector('.chips button:has-text("steps 1–2")');
    await page.dblclick('[data-panel="entropy"] .u-over');
    await expect.poll(search).toBe('');

    await page.goto(`${server.url}/runs/${writer.runId}?outcome=dropped&from=2&to=2`);
    await page.waitForSelector('.steps b:text-is("Step 2")');
    await page.waitForSelector('[data-panel="entropy"] .at:text-is("step 2")');
    await page.click('.chips a:has-text("4 of 10 trajectories")');
    await page.waitForSelector(':text("4 of 10 trajectories fit")');
    expect(await listed()).toHaveLength(4);
    const [first, second] = await page.locator('.trajectories .body .line a').allTextContents();
    await page.click('.trajectories .body .line a >> nth=0');
    await expect.poll(() => page.url()).toContain(`/trajectories/${first}?`);
    await page.keyboard.press(']');
    await expect.poll(() => page.url()).toContain(`/trajectories/${second}?`);
    await page.click(':text("← chosen trajectories")');
    expect(search()).toBe('?from=2&to=2&outcome=dropped');
    // the story of the steps shows what it is narrowed to, and shades its steps by it
    await page.click('nav.tabs >> text=Steps');
    await page.waitForSelector('.chips a:has-text("4 of 10 trajectories")');
    await page.hover('.step-bar .cells i >> nth=1');
    await page.waitForSelector('.step-bar .what:has-text("fit the filter 40 %")');
    await page.waitForSelector(':text("Flow and update are of all trajectories of the chosen steps")');
    expect(await page.textContent('.flow tbody tr')).toContain('10');
    await page.click('nav.tabs >> text=Overview');
    await page.click('button:has-text("in the update: dropped")');
    await expect.poll(search).toBe('?from=2&to=2');
  });

  it('puts the phases of steps on the clock, and opens the cases behind a tile', async () => {
    await page.goto(`${server.url}/runs/${writer.runId}`);
    const lanes = page.locator('.lanes svg[role="img"]');
    expect(await lanes.getAttribute('aria-label')).toBe('Time by phase: collect 1.2 ms, update 0.8 ms');
    await lanes.locator('rect').nth(0).click();
    const search = (): string => new URL(page.url()).search;
    await expect.poll(search).toBe('?step=1');
    // by keys, and by numbers
    await page.focus('[aria-label="Step of the lanes"]');
    await page.keyboard.press('ArrowRight');
    await expect.poll(search).toBe('?step=2');
    expect(await page.getAttribute('[aria-label="Step of the lanes"]', 'aria-valuetext')).toBe(
      'step 2, collect 0.6 ms, update 0.4 ms',
    );
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(search).toBe('?from=2&to=3');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(search).toBe('?from=1&to=3');
    // a number counts when Enter is pressed, not while it is typed
    await page.fill('.steps input[type="number"] >> nth=1', '2');
    expect(search()).toBe('?from=1&to=3');
    await page.press('.steps input[type="number"] >> nth=1', 'Enter');
    await expect.poll(search).toBe('?from=1&to=2');
    await page.click('[aria-label="What is the bar of steps?"]');
    await page.waitForSelector('.about dl:has-text("Each cell is a step")');
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/runs/${writer.runId}?step=1`);
    await page.click('[data-tile="rollout/reward_mean"] a');
    await page.waitForSelector('.trajectories');
    expect(new URL(page.url()).search).toBe('?from=1&to=1&split=train&sort=worst');
    // a step that is not done
    await page.goto(`${server.url}/runs/${writer.runId}?step=777`);
    await page.waitForSelector('.steps :text("There is no step 777: the newest step that is done is")');
    expect(await page.locator('.steps b:text-is("Step 777")').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('goes where a program with its key points, says why, and asks first while somebody types', async () => {
    const other = await openWatched(browser, server.url);
    const secret = await server.createKey({ name: 'reader', role: 'viewer' });
    await other.page.goto(`${server.url}/#key=${secret}`);
    await other.page.waitForSelector(`[data-run="${writer.runId}"]`);
    await page.goto(`${server.url}/`);
    await page.waitForSelector(`[data-run="${writer.runId}"]`);
    const open = (...words: string[]) =>
      runCli(['run', 'open', ...words, '--server', server.url, '--key', server.adminKey, '--json']);
    const { stdout } = await open(`${writer.runId}@2`, '--note', 'here it <b>turns</b>');
    expect(JSON.parse(stdout)).toEqual({ url: `${server.url}/runs/${writer.runId}?step=2`, pages: 1 });
    await page.waitForSelector('.banner:has-text("Shown by something with your key: here it <b>turns</b>")');
    await expect.poll(() => new URL(page.url()).search).toBe('?step=2');
    await page.click('.banner button:has-text("Back")');
    await page.waitForSelector('h1:has-text("Runs")');

    const client = createClient({ url: server.url, key: server.adminKey });
    await page.focus('input[type="search"]');
    expect(await client.showView('/workers')).toMatchObject({ pages: 1 });
    await page.waitForSelector('.banner:has-text("asks to show another view")');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.click('.banner button:has-text("Show it")');
    await page.waitForSelector('h1:has-text("Workers")');
    expect(new URL(other.page.url()).pathname).toBe('/');
    await expect(client.showView('//elsewhere.example/')).rejects.toThrow('expected a path of the page');
    await client.dispose();
    expect([complaints, other.complaints]).toEqual([[], []]);
  });
});
