/** @file The dashboard without a mouse and on a phone, in real Chromium: every view, and the main acts by keys alone and by taps. */
import { type Client, createClient } from '@espalier/client';
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';
import { ratedSteps, writeRatedRun } from '../support/rated-run.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

/** What a walk by Tab has found in a view. */
interface Walk {
  /** what can be focused and was, in order */
  readonly seen: number;
  /** can be focused, but Tab never came there */
  readonly missed: string[];
  /** without an outline while focused */
  readonly invisible: string[];
  /** came after what stands below it in the document */
  readonly backward: string[];
  /** answers to the pointer, but is no control and in none */
  readonly mouseOnly: string[];
}

/** Runs in the page: notes what is focused, and compares it with what could be. */
const watch = `
  (() => {
    const name = (element) => element.tagName.toLowerCase() + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
    const controls = 'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), summary, [tabindex="0"], [contenteditable="true"]';
    const seen = [];
    const invisible = [];
    const backward = [];
    document.addEventListener('focusin', ({ target }) => {
      const last = seen.at(-1);
      if (seen.includes(target)) return;
      seen.push(target);
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
      // the card around the editor has the outline
      const isRinged = target.closest('.editor-card') !== null;
      if ((outlineStyle === 'none' || outlineWidth === '0px') && boxShadow === 'none' && !isRinged) invisible.push(name(target));
      if (last !== undefined && last.isConnected && (last.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING) !== 0) backward.push(name(target));
    });
    window.walked = () => {
      // of radio buttons Tab comes to one
      const isOther = (element) => element.type === 'radio' && !element.checked;
      const wanted = [...document.querySelectorAll(controls)].filter((one) => isShown(one) && one.tabIndex >= 0 && !isOther(one));
      const mouseOnly = [...document.querySelectorAll('#page *')].filter((one) =>
        isShown(one) && getComputedStyle(one).cursor === 'pointer' && getComputedStyle(one.parentElement).cursor !== 'pointer' &&
        one.closest(controls + ', label, [disabled], option, .u-over') === null);
      return {
        seen: seen.length,
        missed: wanted.filter((one) => !seen.includes(one)).map(name),
        invisible, backward,
        mouseOnly: mouseOnly.map(name),
      };
    };
    window.countControls = () => [...document.querySelectorAll(controls)].filter(isShown).length;
  })();
`;

const phoneSize = { width: 390, height: 844 };
/** Runs in the page: whether it scrolls sideways, and what sticks out where nothing around it scrolls. A phone shrinks a page that is too wide, so that its own width says nothing. */
const findTooWide = `
  (() => {
    const width = ${phoneSize.width};
    const name = (one) => one.tagName.toLowerCase() + '.' + one.className + ' ' + (one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40);
    const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
    const doesScroll = (one) => {
      for (let up = one.parentElement; up !== null; up = up.parentElement)
        if (getComputedStyle(up).overflowX !== 'visible' && up.getBoundingClientRect().right <= width + 1) return true;
      return false;
    };
    const all = [document.documentElement.scrollWidth, innerWidth].filter((one) => one > width).map((one) => 'is ' + one + ' wide');
    const out = [...document.querySelectorAll('body *')].filter((one) =>
      one.closest('svg svg, svg *') === null && isShown(one) && one.getBoundingClientRect().right > width + 1 && !doesScroll(one));
    return [...all, ...out.slice(0, 4).map(name)];
  })()
`;

/** Presses it many times; each press is handled before the next, without an answer between. */
async function pressTab(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  const sent = Array.from({ length: times }, () =>
    ['keyDown', 'keyUp'].map((type) => session.send('Input.dispatchKeyEvent', { type, ...key } as never)),
  );
  await Promise.all(sent.flat());
  await session.detach();
}

/** Presses Tab until it has been everywhere; what the focus opens may add controls. */
async function walk(page: Page): Promise<Walk> {
  await page.evaluate(watch);
  await page.evaluate('document.activeElement?.blur()');
  let found: Walk | undefined;
  for (let round = 0; round < 2; round++) {
    const count = await page.evaluate<number>('countControls()');
    await pressTab(page, count + 4);
    found = await page.evaluate<Walk>('walked()');
    if (found.missed.length === 0) break;
  }
  if (found === undefined) throw new Error('nothing was walked');
  return found;
}

describe.skipIf(!canBrowse)('the dashboard by keyboard, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let client: Client;
  let runId: string;
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    ({ runId } = await writeRatedRun(server));
    await insertCheckpoint(server.app.get(DataSource), runId, 5);
    const spec = {
      environment: { use: 'bandit' },
      algorithm: { use: 'grpo' },
      model: { use: 'seedling' },
      optimizer: { learningRate: 0.01 },
      steps: 10,
    };
    const source = server.app.get(DataSource).getRepository(Run);
    await source.update({ id: runId }, { spec } as never);
    client = createClient({ url: server.url, key: server.adminKey });
    ({ page, complaints } = await openWatched(browser, server.url));
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector(`[data-run="${runId}"]`);
  }, 120_000);
  afterAll(async () => {
    await client.dispose();
    await browser.close();
    await server.close();
  });

  /** Focuses a control by Tab alone, as a person would who looks for it. */
  const tabTo = async (name: string): Promise<void> => {
    for (let press = 0; press < 250; press++) {
      const here = await page.evaluate<string>(
        `(() => { const one = document.activeElement; return (one?.getAttribute('aria-label') ?? one?.textContent ?? '').trim(); })()`,
      );
      if (here === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not come to "${name}" on ${page.url()}`);
  };
  const press = async (name: string, key = 'Enter'): Promise<void> => {
    await tabTo(name);
    await page.keyboard.press(key);
  };

  /** The address of every view, and what it has when it is there. */
  const viewsOf = async (): Promise<readonly (readonly [address: string, place: string])[]> => {
    const one = `/runs/${runId}/trajectories/validation/${ratedSteps.before}/0/0`;
    const sources = [{ runId, split: 'validation' as const }];
    const rubric = await client.ratings.create({ kind: 'rubric', rubric: 'collapse', sources, size: 1 });
    const halves = [ratedSteps.before, ratedSteps.after].map((step) => ({
      runId,
      split: 'validation' as const,
      fromStep: step,
      toStep: step,
    }));
    const pairs = await client.ratings.create({ kind: 'pairwise', sources: halves as never, size: 1 });
    const lists = ['/trajectories', '/trajectories?again=new'];
    const ofRun = ['', '/steps', ...lists, '/family', '/verdicts', '/settings', '/log'];
    const ofTrajectory = [
      'messages',
      'turns',
      'tokens',
      'tokens&under=checkpoints',
      'turning',
      'playback',
      'beside',
    ];
    return [
      ['/', `[data-run="${runId}"]`],
      ['/new?recipe=bandit-grpo', '[role="status"]:text-is("valid")'],
      ['/compare?all=1', '[data-part="groups"]'],
      ['/play?env=bandit&seed=1', '[aria-label="Actions"] button'],
      ['/ratings', 'h1'],
      [`/ratings/${rubric.id}`, 'text=Does the text repeat itself?'],
      [`/ratings/${pairs.id}`, '.choices button'],
      ['/alerts', 'h1'],
      [`/new?run=${runId}`, '[role="status"]:text-is("valid")'],
      ['/workers', 'h1'],
      ['/plugins', 'h1'],
      ['/keys', 'h1'],
      ['/audit', 'h1'],
      ...ofRun.map((view) => [`/runs/${runId}${view}`, 'nav.tabs'] as const),
      [`/runs/${runId}?chat=newest`, '.chat textarea'],
      [`/runs/${runId}/family?fork=${runId}@5`, '.fork-panel'],
      ...ofTrajectory.map((view) => [`${one}?view=${view}`, '.segmented.views'] as const),
    ];
  };

  it('comes by Tab to everything that acts, in order, visibly and without a trap, in every view', async () => {
    const views = await viewsOf();
    const found: string[] = [];
    for (const [address, place] of views) {
      await page.goto(server.url + address);
      await page.waitForSelector(place);
      await page.waitForSelector('.waiting', { state: 'detached' });
      const { seen, ...findings } = await walk(page);
      if (seen < 8) found.push(`${address}: Tab came to ${seen} places only`);
      for (const [kind, names] of Object.entries(findings))
        if (names.length > 0) found.push(`${address}: ${kind}: ${names.join(' | ')}`);
    }
    expect(found).toEqual([]);
  }, 300_000);

  it('starts a run from the form, and cancels it', async () => {
    await page.goto(`${server.url}/new?recipe=bandit-grpo`);
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await tabTo('Name of the run');
    await page.keyboard.type('by keys');
    await press('Start run');
    await page.waitForURL(/\/runs\/run-/);
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    expect(await client.runs.get(id)).toMatchObject({ name: 'by keys', state: 'queued' });
    await page.waitForSelector('button:text-is("Cancel")');
    await press('Cancel');
    await page.waitForSelector('dialog[open]');
    await press('Cancel run');
    await page.waitForSelector('.badge:has-text("cancelled")');
    // the dialog gives the focus back to the page, not to nothing
    expect((await client.runs.get(id)).state).toBe('cancelled');
    // its settings say how to make it again
    await press('Settings');
    await page.waitForSelector('.source code:text-is("espalier run create by-keys.yaml")');
    expect(await page.textContent('.source pre')).toContain('environment: { use: bandit }');
  }, 120_000);

  it('forks a checkpoint with a change', async () => {
    await page.goto(`${server.url}/runs/${runId}/family`);
    await page.waitForSelector('[aria-label^="Fork "]');
    await press('Fork fading from step 5');
    await tabTo('Option 1');
    await page.keyboard.type('optimizer.learningRate');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0.002');
    await page.waitForSelector('.differences tr:has-text("optimizer.learningRate")');
    await tabTo('Name of the fork');
    await page.keyboard.type('forked by keys');
    const start = page.locator('button:has-text("Start fork")');
    await press(((await start.textContent()) ?? '').trim());
    await page.waitForSelector('.tree-row:has-text("forked by keys")');
  }, 120_000);

  it('judges an alarm, comments, makes a rating set and rates it', async () => {
    await page.goto(`${server.url}/runs/${runId}/verdicts`);
    await page.waitForSelector('h3:has-text("Alarm at step 8"), h2:has-text("Alarm at step 8")');
    await press('Real', 'Space');
    await page.waitForSelector('text=admin Real');
    await tabTo('Comment: text');
    await page.keyboard.type('seen');
    await press('Comment');
    await page.waitForSelector('.comments :text("seen"), article :text("seen"), li :text("seen")');
    await press('Make a rating set');
    await page.waitForURL(/\/ratings\/rating-/);
    await page.getByRole('region', { name: 'Left' }).waitFor();
    const id = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.keyboard.press('t');
    await expect
      .poll(async () => (await client.ratings.open(id)).progress)
      .toMatchObject([{ name: 'admin', rated: 1 }]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('fits a phone: nothing scrolls sideways in any view; a run is started and cancelled, a token opened by taps', async () => {
    const phone = await browser.newContext({ viewport: phoneSize, hasTouch: true, isMobile: true });
    const small = await phone.newPage();
    const complained: string[] = [];
    small.on('pageerror', (error) => complained.push(String(error)));
    small.setDefaultTimeout(60_000);
    await small.goto(`${server.url}/#key=${server.adminKey}`);
    await small.waitForSelector(`[data-run="${runId}"]`);
    const found: string[] = [];
    for (const [address, place] of [
      ...(await viewsOf()),
      [`/runs/${runId}/steps?split=validation&from=5&to=5`, '.chips'],
    ] as const) {
      await small.goto(server.url + address);
      await small.waitForSelector(place);
      await small.waitForSelector('.waiting', { state: 'detached' });
      const wrong = await small.evaluate<string[]>(findTooWide);
      found.push(...wrong.map((what) => `${address}: ${what}`));
    }
    // nor does what explains a number, wherever it opens
    await small.goto(`${server.url}/runs/${runId}`);
    await small.waitForSelector('[data-panel="success"] canvas');
    const notes = await small.locator('.about > button').all();
    for (const note of notes) {
      await note.tap();
      const box = await small.locator('.about dl').boundingBox();
      const wrong = await small.evaluate<string[]>(findTooWide);
      found.push(
        ...wrong,
        ...(box === null || box.x < 0 ? [`${await note.getAttribute('aria-label')}: cut`] : []),
      );
      await small.keyboard.press('Escape');
    }
    expect([found, notes.length > 5]).toEqual([[], true]);

    await small.goto(`${server.url}/new?recipe=bandit-grpo`);
    await small.waitForSelector('[role="status"]:text-is("valid")');
    await small.tap('button:text-is("Start run")');
    await small.waitForURL(/\/runs\/run-/);
    const id = new URL(small.url()).pathname.split('/')[2] ?? '';
    await small.tap('button:text-is("Cancel")');
    await small.tap('dialog button:text-is("Cancel run")');
    await small.waitForSelector('.badge:has-text("cancelled")');
    expect((await client.runs.get(id)).state).toBe('cancelled');
    await small.goto(`${server.url}/`);
    await small.tap(`[data-run="${runId}"] .name-cell a`);
    await small.tap('nav.tabs >> text=Trajectories');
    await small.tap('.trajectories .body .line a >> nth=0');
    await small.tap('.segmented.views button:has-text("Tokens")');
    expect(await small.evaluate<string[]>(findTooWide)).toEqual([]);
    await small.tap('.tokens .token >> nth=1');
    await small.waitForSelector('.token-detail :text("Log-probability")');
    expect(complained).toEqual([]);
    await phone.close();
  }, 180_000);
});
