/** @file What goes wrong under the page, in real Chromium: each is a clear state, never an empty page or a spinner that stays. */
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createClient } from '@espalier/client';
import type { Trajectory } from '@espalier/contracts';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { encodeTrajectory } from '@espalier/recorder';
import { createLongTrajectory } from '@espalier/testing';
import type { Browser, Page, Route } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { sha256Of } from '../support/held-attempt.js';
import { createPluginWorkspace, type PluginWorkspace } from '../support/plugin-workspace.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

/** Options that no form has a field of its own for, and names that are markup or a path. */
const oddOptions = [
  'sides: z.int().min(2).default(2).describe("faces")',
  'either: z.union([z.string(), z.array(z.number())]).optional()',
  'pair: z.tuple([z.int(), z.string()]).optional()',
  'tree: z.record(z.string(), z.any()).optional()',
  'anything: z.any()',
  'never: z.never().optional()',
  '"<b>bold</b>": z.boolean().optional()',
  '"a.b": z.string().optional()',
].join(', ');

describe.skipIf(!canBrowse)('bad input, in Chromium', () => {
  let workspace: PluginWorkspace;
  let server: TestServer;
  let browser: Browser;
  let writer: EventWriter;
  beforeAll(async () => {
    workspace = createPluginWorkspace();
    workspace.writeCoin('1.0.0', oddOptions);
    [server, browser] = await Promise.all([startTestServer({ root: workspace.folder }), launchBrowser()]);
    writer = await createWriter(server);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
    workspace.remove();
  });

  /** Opens an address, signed in. @param prepare before anything is loaded */
  const open = async (path: string, prepare?: (page: Page) => Promise<unknown>) => {
    const watched = await openWatched(browser, server.url);
    watched.page.setDefaultTimeout(60_000);
    await prepare?.(watched.page);
    await watched.page.goto(`${server.url}${path}#key=${server.adminKey}`);
    return watched;
  };
  /** Stores the file of a step's trajectories. */
  const storeFile = ({ runId, attemptId }: EventWriter, step: number, file: Uint8Array) =>
    server.app
      .get(ArtifactService, { strict: false })
      .store(
        runId,
        attemptId,
        1,
        `trajectories/step-00000${step}.jsonl.gz`,
        sha256Of(Buffer.from(file)),
        Readable.from([file]),
      );
  /** Changes what the page asks the server, or delays it; the rest goes through. */
  const intercept = (page: Page, change: (body: string) => string | Promise<string>) =>
    page.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      await route.continue({ postData: await change(body) });
    });

  it('a run that is deleted while it is open is said to be gone', async () => {
    const doomed = await createWriter(server);
    await doomed.write([metricsEvent(1, { 'rollout/success_rate': 0.5 })]);
    const source = server.app.get(DataSource);
    await source.getRepository(Job).update({ runId: doomed.runId }, { state: 'finished' });
    await source.getRepository(Run).update({ id: doomed.runId }, { state: 'finished' });
    const [first, second] = await Promise.all(
      ['', '/trajectories'].map((view) => open(`/runs/${doomed.runId}${view}`)),
    );
    await first?.page.waitForSelector('[data-panel="success"] canvas');
    await second?.page.waitForSelector('.badge:has-text("finished")');
    const client = createClient({ url: server.url, key: server.adminKey });
    await client.runs.delete(doomed.runId);
    await client.dispose();
    // where something else of it is asked for, at once
    await second?.page.click('nav[aria-label="Views of the run"] >> text=Log');
    await second?.page.waitForSelector('.notice:has-text("There is no such run")', { timeout: 5000 });
    // where nobody does anything, after some seconds
    await first?.page.waitForSelector('.notice:has-text("There is no such run")');
    for (const watched of [first, second]) await watched?.page.context().close();
  }, 60_000);

  it('a list that is not shown whole says how much of it is, and shows more', async () => {
    const long = await createWriter(server);
    const source = server.app.get(DataSource);
    const none = { acknowledgedAt: null, acknowledgedBy: null, project: 'default', code: 'run.odd' };
    const alert = (at: number) => ({
      ...none,
      id: createId('alert'),
      runId: long.runId,
      severity: 'warning' as const,
      time: at,
      step: at,
      message: `alarm ${at}`,
    });
    await source.getRepository(Alert).insert(Array.from({ length: 112 }, (_, at) => alert(at)));
    await long.write(Array.from({ length: 203 }, (_, index) => trajectoryEvent(1, index)));
    const shape = { id: 'train/1/0/0', step: 1, turns: 1, turnTokens: 8, promptTokens: 3 };
    const { trajectory } = createLongTrajectory(shape);
    await storeFile(long, 1, gzipSync(`${encodeTrajectory(trajectory, { kept: true })}\n`));
    const optionsOf = (value: number) =>
      Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`o${at}`, value]));
    const other = await createWriter(server);
    for (const [value, { runId }] of [long, other].entries())
      await source
        .getRepository(Run)
        .update({ id: runId }, { spec: { seed: 1, rollout: optionsOf(value) } } as never);

    const { page, complaints } = await open(`/runs/${long.runId}`);
    page.setDefaultTimeout(12_000);
    const more = (what: string) => page.locator(`.more-of:has-text("${what} shown")`);
    const next = (what: string) => more(what).locator('button').click();
    for (let shown = 20; shown < 112; shown += 20) await next(`${shown} of 112 open alerts`);
    await page.waitForSelector('.alert:has-text("alarm 0")');
    expect([await page.locator('.alert').count(), await more('open alerts').count()]).toEqual([112, 0]);
    await page.goto(`${server.url}/runs/${long.runId}/trajectories/train/1/0/0`);
    await next('200 of 203 members');
    await page.waitForSelector('.group-strip .member >> nth=202');
    expect(await more('members').count()).toBe(0);
    await page.goto(`${server.url}/compare?runs=${long.runId},${other.runId}`);
    await next('14 of 15 options that differ');
    await page.waitForSelector('.view-bar button:text-is("rollout.o9")');
    expect(await page.locator('.view-bar button:has-text("rollout.o")').count()).toBe(15);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('numbers that are not finite are said to be so, and are not drawn as 0', async () => {
    await writer.write([
      metricsEvent(1, { 'rollout/reward_mean': 0.5, 'policy/gradient_norm': 3 }),
      metricsEvent(2, {
        'rollout/reward_mean': Number.NaN,
        'policy/gradient_norm': Number.POSITIVE_INFINITY,
      }),
    ]);
    const { page, complaints } = await open(`/runs/${writer.runId}`);
    const tile = (title: string) => page.locator(`.tile:has-text("${title}")`);
    for (const title of ['Reward', 'Gradient norm']) {
      await tile(title).locator(':text("NaN or infinite")').waitFor();
      expect(await tile(title).locator('.value').textContent()).toBe('–');
    }
    await tile('Entropy').locator(':text("not reported")').waitFor();
    expect(await page.textContent('[data-panel="reward"] .legend b >> nth=0')).toBe('–');
    // also one that is pushed: the last good value does not stay
    await writer.write([metricsEvent(3, { 'rollout/reward_mean': 0.75 })]);
    await tile('Reward').locator('.value a:text-is("0.75")').waitFor();
    await writer.write([metricsEvent(4, { 'rollout/reward_mean': Number.NaN })]);
    await tile('Reward').locator(':text("NaN or infinite")').waitFor();
    await page.focus('[role="slider"]');
    await page.keyboard.press('Home');
    expect(await tile('Reward').locator('.value').textContent()).toBe('0.5');
    await page.goto(`${server.url}/`);
    const row = page.locator(`[data-run="${writer.runId}"]`);
    await row.locator('[data-cell="reward"]:text-is("NaN")').waitFor();
    expect(await row.locator('[data-cell="entropy"]').textContent()).toBe('–');
    const never = await createWriter(server);
    await never.write([metricsEvent(1, { 'rollout/reward_mean': Number.NaN, 'rollout/entropy': 1 })]);
    await page.goto(`${server.url}/compare?runs=${writer.runId},${never.runId}`);
    await page.waitForSelector('[data-part="groups"] td:has-text("1 of 2"):has-text("NaN or infinite in 1")');
    await page.goto(`${server.url}/compare?runs=${never.runId}`);
    await page.waitForSelector('[data-part="groups"] td span:text-is("NaN or infinite")');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('values that are absent are told apart: not sampled, not trained, masked, not stored, unreadable', async () => {
    const shape = { step: 7, turns: 1, turnTokens: 8, promptTokens: 3 };
    const made = ['trained', 'dropped', 'masked', 'unstored'].map((name, index) => {
      const id = `train/7/0/${index}`;
      return { name, ...createLongTrajectory({ ...shape, id }) };
    });
    const without = ({ tokens: _tokens, ...update }: UpdateRecord): UpdateRecord => update;
    const updateOf = (name: string, update: UpdateRecord): UpdateRecord => {
      if (name === 'dropped') return { ...without(update), outcome: 'dropped', lossTokens: 0 };
      if (name === 'unstored') return without(update);
      if (name !== 'masked' || update.tokens === undefined) return update;
      // the second sampled token on is outside of the loss
      const cut = Object.entries(update.tokens).map(([key, column]) => [
        key,
        column instanceof Float32Array ? column.slice(0, 1) : column,
      ]);
      const tokens = { ...Object.fromEntries(cut), ranges: Int32Array.of(3, 4) };
      return { ...update, lossTokens: 1, tokens } as UpdateRecord;
    };
    const lines = made.map(({ name, trajectory, update }) =>
      encodeTrajectory(trajectory as Trajectory, { kept: true, update: updateOf(name, update) }),
    );
    await storeFile(writer, 7, gzipSync(`${lines.join('\n')}\n`));
    await storeFile(writer, 8, Buffer.from('this is no gzip'));
    await writer.write([
      ...made.map((_, index) => trajectoryEvent(7, index)),
      trajectoryEvent(8, 0),
      trajectoryEvent(9, 0),
    ]);
    const { page } = await open(`/runs/${writer.runId}`);
    await page.waitForSelector('.tile');
    const ratioOf = async (id: string, token: number): Promise<string | null> => {
      await page.goto(`${server.url}/runs/${writer.runId}/trajectories/${id}?view=tokens&token=${token}`);
      return page.locator('.token-detail dl > div:has(dt:text-is("Ratio")) dd').textContent();
    };
    expect(await ratioOf('train/7/0/0', 3)).toBe('1.5');
    expect(await ratioOf('train/7/0/0', 1)).toBe('not sampled');
    expect(await ratioOf('train/7/0/1', 4)).toBe('not trained: dropped');
    expect(await ratioOf('train/7/0/2', 5)).toBe('outside the loss mask');
    expect(await ratioOf('train/7/0/3', 4)).toBe('not stored: beyond update.tokenRecords');
    for (const [id, reason] of [
      ['train/8/0/0', /damaged|corrupt|unreadable|gzip/i],
      ['train/9/0/0', /not stored|has not|no file|not yet/i],
    ] as const) {
      await page.goto(`${server.url}/runs/${writer.runId}/trajectories/${id}`);
      await page.waitForSelector('[role="alert"], .notice');
      expect(await page.textContent('main')).toMatch(reason);
    }
    await page.context().close();
  }, 60_000);

  it('a late answer to an older selection changes nothing', async () => {
    const steps = await createWriter(server);
    for (const step of [1, 2, 3])
      await steps.write([
        trajectoryEvent(step, 0, { id: `train/${step}/0/0` }),
        metricsEvent(step, { 'flow/trajectories': step, 'flow/tokens': step, 'policy/entropy': step }),
      ]);
    let late = 0;
    const { page } = await open(`/runs/${steps.runId}/steps?from=3&to=3`, (opened) =>
      intercept(opened, async (body) => {
        if (!/"(fromStep|toStep)":1\b/.test(body)) return body;
        late += 1;
        await wait(1500);
        return body;
      }),
    );
    const entropy = page.locator('[data-number="policy/entropy"] dd');
    await page.waitForSelector('[data-number="policy/entropy"] dd:text-is("3")');
    await page.focus('[role="slider"]');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-number="policy/entropy"] dd:text-is("2")');
    await wait(2000);
    expect([late > 0, await entropy.textContent()]).toEqual([true, '2 nats']);
    expect(new URL(page.url()).search).toBe('?from=2&to=2');
    await page.context().close();
  });

  it.each([
    [-3, 'behind'],
    [3, 'ahead of'],
  ])('a clock that is %s hours off is told, and ages are by the server’s', async (hours, word) => {
    const old = await createWriter(server);
    await old.write([
      {
        kind: 'warning',
        time: Date.now() - 2 * 3_600_000,
        step: 1,
        code: 'run.odd',
        message: 'two hours ago',
      },
    ]);
    const { page } = await open(`/runs/${old.runId}`, (opened) =>
      opened.addInitScript(`
        const real = Date;
        const shift = ${hours} * 3_600_000;
        window.Date = class extends real {
          constructor(...given) { given.length === 0 ? super(real.now() + shift) : super(...given); }
          static now() { return real.now() + shift; }
        };
      `),
    );
    await page.waitForSelector(`.banner:has-text("3 h ${word} the server’s")`);
    await page.waitForSelector('.event.warning:has-text("two hours ago") span:text-is("2 h")');
    await page.context().close();
  });

  it('a server that was updated, or is of another version, is told with what to do', async () => {
    let version = '';
    const { page } = await open('/', (opened) =>
      opened.route('**/graphql', async (route) => {
        if (version === '' || !(route.request().postData() ?? '').includes('query ShowServer'))
          return route.continue();
        const response = await route.fetch();
        return route.fulfill({ response, body: JSON.stringify({ data: { version } }) });
      }),
    );
    await page.waitForSelector('nav[aria-label="Views"]');
    await page.waitForLoadState('networkidle');
    version = '99.0.0';
    await page.waitForSelector('.banner:has-text("Reload the page")', { timeout: 20_000 });
    // a view whose script the server no longer has
    await page.route('**/assets/workers-page*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await page.click('nav >> text=Workers');
    await page.waitForSelector('.notice:has-text("could not be loaded")');
    await page.click('nav >> text=Plugins');
    await page.waitForSelector('h1:has-text("Plugins")');
    // a question that this server does not know
    await page.route('**/graphql', (route) => {
      const body = route.request().postData() ?? '';
      if (!body.includes('ratingSets(')) return route.fallback();
      return route.continue({ postData: body.replace('ratingSets(', 'ratingSetsOfTomorrow(') });
    });
    await page.click('nav >> text=Ratings');
    await page.waitForSelector('[role="alert"]:has-text("of another version")');
    await page.context().close();
  }, 60_000);

  it('a new run is tried again with whatever could not be read: recipes, schema or plan', async () => {
    const failing = new Set(['ListRecipes', 'run-spec-schema', 'PlanRun']);
    const refused = new Set<string>();
    const { page } = await open('/new', async (opened) => {
      // what is not worth another try by itself
      const body = { code: 'server.invalid_input', message: 'not now', errors: [{ message: 'not now' }] };
      const refuse = (name: string, route: Route, asked: string) => {
        if (!failing.has(name) || !asked.includes(name)) return route.fallback();
        refused.add(name);
        return route.fulfill({ status: 400, json: body });
      };
      await opened.route('**/graphql', async (route) => {
        const asked = route.request().postData() ?? '';
        await (asked.includes('ListRecipes')
          ? refuse('ListRecipes', route, asked)
          : refuse('PlanRun', route, asked));
      });
      await opened.route('**/run-spec-schema', (route) =>
        refuse('run-spec-schema', route, route.request().url()),
      );
    });
    const again = page.locator('[role="alert"] button:text-is("Try again")');
    for (const name of ['ListRecipes', 'run-spec-schema', 'PlanRun']) {
      // not the button of the try before, which is still there for a moment
      await expect.poll(() => refused.has(name), { timeout: 20_000 }).toBe(true);
      await again.waitFor();
      failing.delete(name);
      refused.clear();
      await again.click();
    }
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.context().close();
  }, 60_000);

  it('a plugin whose schema is odd has a form, and what has no field stays YAML', async () => {
    const { page, complaints } = await open('/new');
    await page.waitForSelector('.cm-content');
    await page.click('.cm-content');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(
      'environment:\n  use: coin\n  anything: { deep: [1] }\n  "a.b": text\nalgorithm: { use: grpo }\nsteps: 2\n',
    );
    await page.waitForSelector('[role="status"]:text-is("valid")');
    await page.click('fieldset:has(> legend:text-is("environment")) button:has-text("more option")');
    await page.waitForSelector('[data-option="environment.sides"]');
    const shown = await page
      .locator('[data-option]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-option')));
    const names = ['sides', 'either', 'pair', 'tree', 'anything', 'never', '<b>bold</b>', 'a.b'];
    expect(shown).toEqual(expect.arrayContaining(names.map((name) => `environment.${name}`)));
    await page.click('.cm-content');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(
      'environment: { use: coin, sides: 1 }\nalgorithm: { use: grpo }\nsteps: 2\n',
    );
    await page.waitForSelector('.problems :text("environment.sides")');
    await page.goto(`${server.url}/plugins`);
    await page.waitForSelector('text=coin');
    await page.waitForSelector('text=bent');
    // Chromium styles text that is inserted over a selection of several lines, and is refused
    expect(complaints.filter((text) => !text.startsWith('Applying inline style'))).toEqual([]);
    await page.context().close();
  }, 60_000);
});
