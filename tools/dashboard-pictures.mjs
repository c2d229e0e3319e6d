// node tools/dashboard-pictures.mjs [--out FOLDER] [--keep] [--server URL --key KEY] [--runs FOLDER,…]: pictures of the dashboard
// and of a report with real runs behind them, wide and narrow, light and dark. Without a server it starts one with a worker, trains
// short runs of the bandit and of FrozenLake there and stops it again; with --runs it only reports on these run folders. --keep writes those that the documentation shows to docs/pictures. Needs a build and
// Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient } from '@espalier/client';
import { chromium } from 'playwright-core';
import { root } from './steps.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, '.cache', 'dashboard') },
    keep: { type: 'boolean', default: false },
    server: { type: 'string' },
    key: { type: 'string' },
    only: { type: 'string' },
    runs: { type: 'string' },
  },
});
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const themes = ['light', 'dark'];
const kept = {
  'overview-wide-light': 'dashboard.png',
  'tokens-wide-dark': 'dashboard-tokens.png',
  'new-wide-light': 'dashboard-new.png',
  'family-wide-light': 'dashboard-family.png',
  'steps-wide-light': 'dashboard-steps.png',
  'turning-wide-light': 'dashboard-turning.png',
  'again-wide-light': 'dashboard-again.png',
  'alarm-wide-light': 'dashboard-alarm.png',
  'report-wide-light': 'report.png',
};

const manyTurns = 'frozen-lake-grpo';
const collapsing = 'frozen-lake-epochs';
/** Where the picture of a view begins, where that is not the top. */
const begins = {
  turning: '.turn-overview',
  under: '.segmented.views',
  playback: '.film',
  beside: '.beside-picker',
};
/** What comes with the files of a run. */
const waited = new Set(['rating.nothing_to_rate', 'trajectory.not_stored']);

const isServed = values.runs === undefined;
const started = isServed && values.server === undefined ? await startServer() : undefined;
const { url = 'http://127.0.0.1', key = '' } = started ?? { url: values.server, key: values.key };
const client = createClient({ url, key });
try {
  if (started !== undefined) await trainRuns();
  if (isServed) await shoot();
  const folders = values.runs?.split(',') ?? started?.runFolders() ?? [];
  if (folders.length > 0) await shootReport(folders);
} finally {
  await client.dispose();
  await started?.stop();
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-pictures-'));
  const words = ['apps/cli/dist/main.js', 'up', '--port', '0', '--data', join(folder, 'data'), '--json'];
  const env = { ...process.env, OMP_NUM_THREADS: '1' };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url: JSON.parse(line).url,
    key: readFileSync(join(folder, 'data', 'admin.key'), 'utf8').trim(),
    runFolders() {
      const runs = join(folder, 'data', 'worker', 'runs');
      // beside each folder lies a file about its attempt
      return readdirSync(runs, { withFileTypes: true })
        .filter((one) => one.isDirectory())
        .map(({ name }) => join(runs, name));
    },
    async stop() {
      child.kill('SIGINT');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One run that ends, and one that is under way when the pictures are taken. */
async function trainRuns() {
  const source = readFileSync(join(root, 'config/runs/bandit-starpo-s.yaml'), 'utf8');
  const short = [
    'steps=16',
    'validation.every=4',
    'validation.episodes=64',
    'checkpoint={every: 4, keep: 9}',
  ];
  const first = await client.runs.create({
    source,
    name: 'bandit-starpo-s',
    overrides: short,
    tags: ['docs'],
  });
  await untilFinished(first.id);
  await forkRun(first.id);
  await trainTurns();
  await collapse();
  // last, so that one device is enough
  const second = ['steps=400', 'optimizer.learningRate=1e-4', 'validation.every=8', 'validation.episodes=64'];
  const live = await client.runs.create({
    source,
    name: 'bandit-slower',
    overrides: second,
    tags: ['docs', 'half-rate'],
  });
  await client.runs.create({ source, name: 'waits-for-its-turn', overrides: [...short, 'seed=2'] });
  while (((await client.runs.get(live.id)).step ?? 0) < 12)
    await new Promise((resolve) => setTimeout(resolve, 1000));
}

async function untilFinished(id) {
  for (;;) {
    const { state, message } = await client.runs.get(id);
    if (state === 'finished') return;
    if (!['queued', 'assigned', 'running'].includes(state))
      throw new Error(`the run is ${state}: ${message}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** A run of several turns with pictures: what turned an episode, continued from each turn, and its rewards scored again. */
async function trainTurns() {
  const source = readFileSync(join(root, 'config/runs/frozen-lake-grpo.yaml'), 'utf8');
  const overrides = [
    'steps=4',
    'rollout.promptsPerStep=8',
    'rollout.groupSize=8',
    'rollout.images=true',
    'validation={every: 0, episodes: 16}',
    'checkpoint={every: 2, keep: 9}',
  ];
  const { id } = await client.runs.create({ source, name: manyTurns, overrides, tags: ['docs'] });
  await untilFinished(id);
  const lost = await whenStored(() => findLost(id));
  const rewards = [{ use: 'environment-return', weight: 2 }, { use: 'format' }, { use: 'length' }];
  const rescored = await client.runs.evaluate(id, {
    step: 4,
    rescore: { rewards, logprobs: true, steps: [1, 2, 3, 4] },
  });
  const continued = await client.runs.evaluate(id, { step: 4, trajectory: lost.row.id, episodes: 32 });
  const tokens = { logprobs: true, trajectory: lost.row.id };
  const under = [];
  for (const step of [2, 4]) under.push(await client.runs.evaluate(id, { step, rescore: tokens }));
  for (const one of [rescored, continued, ...under]) await untilEvaluated(id, one.id);
}

/** A run that collapses on purpose, whose alerts are looked after. */
async function collapse() {
  const source = readFileSync(join(root, 'config/runs/collapse/epochs-grpo.yaml'), 'utf8');
  const overrides = [
    'steps=10',
    'rollout.promptsPerStep=8',
    'rollout.groupSize=8',
    'validation={every: 2, episodes: 32}',
  ];
  const { id } = await client.runs.create({ source, name: collapsing, overrides, tags: ['docs'] });
  await untilFinished(id);
  const [newest] = (await client.overview.alerts({ runId: id })).items;
  const keys = await client.overview.assignees(newest.project);
  await client.overview.assign(newest.id, keys[0].keyId);
}

async function untilEvaluated(runId, jobId) {
  for (;;) {
    const one = (await client.runs.evaluations(runId)).find((evaluation) => evaluation.jobId === jobId);
    if (one?.state === 'finished') return;
    if (one === undefined || !['queued', 'assigned', 'running'].includes(one.state))
      throw new Error(`the evaluation is ${one?.state}: ${one?.message}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** An episode of four turns or more that was lost where the oracle still had a plan before. */
async function findLost(runId) {
  const { items } = await client.trajectories.list(runId, { split: 'train', success: false }, { first: 100 });
  for (const row of items.filter(({ turns }) => turns > 3)) {
    const detail = await client.trajectories.get(runId, row.id);
    const plans = detail.turns.map(({ plan }) => plan?.length ?? 0);
    if (plans.some((length, turn) => turn > 0 && length > (plans[turn - 1] ?? 0))) return detail;
  }
  throw new Error('no episode of four turns whose plan grew');
}

/** A changed fork beside its twin, two more seeds of it, and one that took the weights only; they go before what waits. */
async function forkRun(id) {
  const change = 'optimizer.learningRate=1e-3';
  const from8 = { step: 8, continue: true, priority: 9 };
  await client.runs.fork(id, { ...from8, twin: true, overrides: [change], name: 'larger step' });
  for (const seed of [1, 2])
    await client.runs.fork(id, {
      ...from8,
      overrides: [change, `seed=${seed}`],
      name: `larger step, seed ${seed}`,
    });
  await client.runs.fork(id, { step: 12, overrides: ['steps=8'], name: 'from its weights', priority: 8 });
  for (;;) {
    const { items } = await client.runs.list({ parentRunId: id });
    if (items.every(({ state }) => !['queued', 'assigned', 'running'].includes(state))) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function shootReport(folders) {
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, 'report.html');
  const words = ['report', ...folders, '--title', 'Learning rates on the bandit', '--out', file];
  execFileSync(process.execPath, ['apps/cli/dist/main.js', ...words], { cwd: root, stdio: 'inherit' });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of themes) {
        const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 1 });
        page.on('console', (message) => console.error(`report: ${message.text()}`));
        await page.goto(pathToFileURL(file).href);
        const name = `report-${size}-${colorScheme}`;
        const path = join(values.out, `${name}.png`);
        await page.screenshot({ path });
        if (values.keep && kept[name] !== undefined) cpSync(path, join(root, 'docs', 'pictures', kept[name]));
        await page.close();
      }
  } finally {
    await browser.close();
  }
  console.log(`pictures of a report: ${values.out}`);
}

/** Until nothing is read any more. A page that is pushed to may never be idle, so that alone is not waited for. */
async function settle(page) {
  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => undefined);
  await page.waitForSelector('.waiting, [aria-busy="true"]', { state: 'detached' });
  await page.waitForTimeout(500);
}

function scrollTo(place) {
  return `scrollTo(0, scrollY + document.querySelector('${place}').getBoundingClientRect().top - 110)`;
}

/** Does it again while the files of the run are on their way: on a busy machine they come minutes after its end. */
async function whenStored(act) {
  for (let tries = 0; ; tries += 1)
    try {
      return await act();
    } catch (error) {
      if (!waited.has(error.details?.code) || tries === 150) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
}

/** A set of pairs to rate, and one with a rubric that is rated and closed. */
async function makeRatingSets(runId) {
  const sources = [
    { runId, fromStep: 4, toStep: 4, split: 'validation' },
    { runId, fromStep: 16, toStep: 16, split: 'validation' },
  ];
  const open = await whenStored(() => client.ratings.create({ kind: 'pairwise', sources }));
  const rated = await client.ratings.create({ kind: 'rubric', rubric: 'collapse', sources, size: 3 });
  for (const { position } of (await client.ratings.open(rated.id)).task.items)
    await client.ratings.rate(rated.id, position, {
      scores: [
        { criterion: 'repetitive', value: position % 2 },
        { criterion: 'template', value: 0 },
        { criterion: 'readable', value: 1 + (position % 5) },
      ],
    });
  await client.ratings.close(rated.id);
  return { open: open.id, done: rated.id };
}

/** Views that say more of an episode of several turns. */
async function viewsOfTurns(runId) {
  const evaluations = await client.runs.evaluations(runId);
  const id =
    evaluations.findLast(({ trajectory }) => trajectory !== null)?.trajectory ??
    (await findLost(runId)).row.id;
  const rescored = evaluations.findLast((one) => one.rescoredSteps !== null && one.trajectory === null);
  const { turns } = await client.trajectories.get(runId, id);
  const tokens = `view=tokens&token=${(turns[1]?.sampled.start ?? 0) + 4}`;
  const one = `/runs/${runId}/trajectories/${id}`;
  return {
    turns: `${one}?view=turns`,
    turning: `${one}?view=turning`,
    playback: `${one}?view=playback&frame=6`,
    tokens: `${one}?${tokens}`,
    under: `${one}?${tokens}&under=checkpoints`,
    again: `/runs/${runId}/trajectories?split=train&again=${rescored?.jobId ?? 'new'}`,
  };
}

async function shoot() {
  const { items } = await client.runs.list({}, { first: 50 });
  const done =
    items.findLast(({ state, parentRunId }) => state === 'finished' && parentRunId === null) ?? items.at(-1);
  const lake = items.find(({ name, state }) => name === manyTurns && state === 'finished');
  const ofTurns = lake === undefined ? {} : await viewsOfTurns(lake.id);
  const collapsed = items.find(({ name }) => name === collapsing)?.id;
  const [alert] = collapsed === undefined ? [] : (await client.overview.alerts({ runId: collapsed })).items;
  const live = items.find(({ state }) => state === 'running') ?? done;
  const { items: trajectories } = await client.trajectories.list(
    done.id,
    { split: 'train', toStep: 3 },
    { first: 20 },
  );
  const { id } =
    trajectories.find(({ success, outcome }) => !success && outcome === 'trained') ?? trajectories[0];
  const one = `/runs/${done.id}/trajectories/${id}`;
  const detail = await client.trajectories.get(done.id, id);
  const sets = await makeRatingSets(done.id);
  const views = {
    runs: '/',
    live: `/runs/${live.id}`,
    overview: `/runs/${done.id}?step=9`,
    steps: `/runs/${done.id}/steps?from=3&to=3`,
    trajectories: `/runs/${done.id}/trajectories`,
    messages: one,
    turns: `${one}?view=turns`,
    turning: `${one}?view=turning`,
    playback: `${one}?view=playback&frame=3`,
    again: `/runs/${done.id}/trajectories?again=new`,
    beside: `${one}?view=beside&with=${encodeURIComponent(trajectories.find((row) => row.id !== id)?.id ?? id)}`,
    tokens: `${one}?view=tokens&token=${(detail.turns[0]?.sampled.start ?? 0) + 4}`,
    ...ofTurns,
    compare: '/compare?all=1&by=optimizer.learningRate',
    play: '/play?env=sokoban&seed=3',
    workers: '/workers',
    plugins: '/plugins',
    settings: `/runs/${done.id}/settings`,
    new: '/new?recipe=frozen-lake-grpo',
    verdicts: `/runs/${done.id}/verdicts`,
    alerts: '/alerts',
    ...(alert === undefined ? {} : { alarm: `/runs/${alert.runId}/verdicts?alarm=${alert.id}` }),
    ratings: '/ratings',
    rate: `/ratings/${sets.open}`,
    results: `/ratings/${sets.done}`,
    family: `/runs/${done.id}/family`,
    fork: `/runs/${done.id}/family?fork=${done.id}@8`,
  };
  mkdirSync(values.out, { recursive: true });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of themes) {
        const context = await browser.newContext({
          viewport,
          colorScheme,
          deviceScaleFactor: 1,
          reducedMotion: 'reduce',
        });
        const page = await context.newPage();
        page.on(
          'console',
          (message) => message.type() === 'error' && console.error(`page: ${message.text()}`),
        );
        page.on('pageerror', (error) => console.error(`page: ${error}`));
        await page.goto(`${url}/`);
        if (values.only === undefined)
          await page.screenshot({ path: join(values.out, `sign-in-${size}-${colorScheme}.png`) });
        await page.goto(`${url}/runs#key=${key}`);
        await page.reload();
        for (const [name, address] of Object.entries(views)) {
          if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
          await page.goto(url + address);
          await settle(page);
          const path = join(values.out, `${name}-${size}-${colorScheme}.png`);
          // what it is about begins below the facts
          if (begins[name] !== undefined) await page.evaluate(scrollTo(begins[name]));
          await page.screenshot({ path });
          const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
          if (scrollWidth > viewport.width) console.error(`${name} ${size}: ${scrollWidth} wide`);
          const whole = size === 'wide' && ['overview', 'live'].includes(name);
          if (whole)
            await page.screenshot({
              path: join(values.out, `${name}-${size}-${colorScheme}-whole.png`),
              fullPage: true,
            });
          const target = kept[`${name}-${size}-${colorScheme}`];
          if (values.keep && target !== undefined) cpSync(path, join(root, 'docs', 'pictures', target));
        }
        await context.close();
      }
  } finally {
    await browser.close();
  }
  console.log(`pictures of the dashboard: ${values.out}`);
}
