/** @file Where a trajectory turned: scored again, played on by hand, continued by a checkpoint, and a chat with it from there, with a real worker and in real Chromium. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type TrajectoryDetails } from '@espalier/client';
import { removeFolder, waitFor } from '@espalier/testing';
import { startWorker, type Worker } from '@espalier/worker';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import {
  checkRescoring,
  checkRescoringByRewards,
  checkRescoringInPage,
  checkTokensUnderCheckpoints,
  settleEvaluation,
} from '../support/check-rescoring.js';
import { checkKeptChat } from '../support/kept-chat.js';
import { checkWalk } from '../support/check-walk.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'espalier-turning-'));
let server: TestServer;
let worker: Worker;
let client: Client;
let runId: string;
/** of several turns, without success */
let lost: TrajectoryDetails;

beforeAll(async () => {
  server = await startTestServer();
  const options = { name: 'local', data: join(folder, 'worker'), gpus: 'off', minFreeMb: 0 };
  const access = { server: server.url, key: server.workerKey };
  worker = await startWorker({ ...options, ...access } as never, { log: quiet });
  client = createClient({ url: server.url, key: server.adminKey });
  const spec = {
    name: 'lake',
    environment: { use: 'frozen-lake' },
    algorithm: { use: 'grpo' },
    model: { use: 'seedling' },
    steps: 1,
    checkpoint: { every: 1 },
    rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 32 },
    validation: { every: 0, episodes: 1 },
  };
  runId = (await client.runs.create({ spec })).id;
  await waitFor('the run', async () => (await client.runs.get(runId)).state === 'finished', 60_000);
  const rows = (await client.trajectories.list(runId, { split: 'train', success: false })).items;
  const row = rows.find(({ turns }) => turns > 1);
  if (row === undefined) throw new Error('no trajectory of several turns');
  const isStored = () => client.trajectories.get(runId, row.id).then(Boolean, () => false);
  await waitFor('its trajectories', isStored, 20_000);
  lost = await client.trajectories.get(runId, row.id);
}, 120_000);
afterAll(async () => {
  await client.dispose();
  await worker.close();
  await server.close();
  removeFolder(folder);
});

/** Runs a continuation to its end. */
const settle = (jobId: string) => settleEvaluation(client, runId, jobId);

describe('stored trajectories that are scored again', () => {
  it('have the totals and log-probabilities that follow from what is stored', async () =>
    checkRescoring(client, runId));

  it('need no weights for rewards alone, and refuse what is not there', async () =>
    checkRescoringByRewards(client, runId, { url: server.url, key: server.adminKey }));
});

describe('a trajectory that is played on', () => {
  it('comes to the very states that were recorded, turn by turn', async () => {
    const { turns, row } = lost;
    for (const [index, { actions }] of turns.slice(0, -1).entries()) {
      const names = actions.map(({ text }) => text);
      const state = await client.trajectories.play(runId, row.id, index, names);
      expect(state.observation).toBe(turns[index + 1]?.observation);
      expect(state.plan).toEqual(turns[index + 1]?.plan);
      expect(state.steps.map(({ reward }) => reward)).toEqual(actions.map(({ reward }) => reward));
    }
    const first = await client.trajectories.play(runId, row.id, 0);
    expect(first).toMatchObject({ hasOracle: true, steps: [], ended: null, actions: expect.any(Array) });
    expect(first.image).toMatch(/^iVBOR/);
    expect(first.plan).toEqual(turns[0]?.plan);
    const body = JSON.stringify({ trajectory: row.id, turn: 0 });
    const headers = { 'content-type': 'application/json' };
    const rest = await client.rest(`/api/v1/runs/${runId}/play`, { method: 'POST', headers, body });
    expect(await rest.json()).toEqual(first);
  });

  it('is refused where there is nothing to play, with the reason', async () => {
    const { row, turns } = lost;
    await expect(client.trajectories.play(runId, row.id, turns.length)).rejects.toThrow(
      `it has no turn ${turns.length}; its turns are 0..${turns.length - 1}`,
    );
    await expect(client.trajectories.play(runId, 'train/1/0/99', 0)).rejects.toThrow('there is none');
    const viewer = await server.createKey({ name: 'viewer', role: 'viewer' });
    const watching = createClient({ url: server.url, key: viewer });
    await expect(watching.trajectories.play(runId, row.id, 0)).rejects.toThrow(/operator/);
    await watching.dispose();
  });
});

describe('a checkpoint that continues a trajectory', () => {
  it('plays each turn several times on the worker, and gives rates with intervals', async () => {
    const { id } = await client.runs.evaluate(runId, { trajectory: lost.row.id, episodes: 4 });
    expect(await settle(id)).toMatchObject({ state: 'finished', trajectory: lost.row.id, episodes: 4 });
    const continued = await client.runs.continuation(id);
    expect(continued?.map(({ turn }) => turn)).toEqual(lost.turns.map(({ index }) => index));
    for (const { turn, episodes, failed, successRate, successHigh, outcomes } of continued ?? []) {
      expect([episodes, failed, outcomes?.length]).toEqual([4, 0, 4]);
      expect(successRate).toBe((outcomes?.filter(({ success }) => success).length ?? 0) / 4);
      expect(successHigh).toBeGreaterThan(successRate ?? 1);
      expect(outcomes?.every(({ turns }) => turns > turn)).toBe(true);
    }
  }, 90_000);

  it('is refused before a job is queued where it cannot be', async () => {
    const trajectory = lost.row.id;
    const ask = (input: Parameters<typeof client.runs.evaluate>[1]) => client.runs.evaluate(runId, input);
    await expect(ask({ trajectory, turns: [99] })).rejects.toThrow('it has no turn 99; its turns are 0..');
    await expect(ask({ trajectory, split: 'validation' })).rejects.toThrow('`split` has no effect');
    await expect(ask({ turns: [0] })).rejects.toThrow('`turns` are of a trajectory');
    await expect(ask({ trajectory: 'train/1/0/99' })).rejects.toThrow('there is none');
    await expect(ask({ trajectory, episodes: 20_000 })).rejects.toThrow('20000 continuations in all');
    await expect(ask({ trajectory, step: 7 })).rejects.toThrow('checkpoint of step 7');
  });
});

describe('a chat with a checkpoint', () => {
  /** Asks, and joins what comes. */
  async function ask(jobId: string, request: Parameters<Client['chats']['reply']>[2]) {
    const pieces = [];
    for await (const piece of client.chats.reply(runId, jobId, request)) pieces.push(piece);
    const tokens = pieces.flatMap((piece) => piece.tokens);
    return {
      text: pieces.map((piece) => piece.text).join(''),
      tokens,
      ids: tokens.map(({ id }) => id),
      prompt: pieces[0]?.prompt ?? [],
      end: pieces.at(-1)?.end,
      count: pieces.length,
    };
  }

  it('replies from a turn of a trajectory, behind the very tokens that the model had there', async () => {
    const { jobId, ...chat } = await client.chats.start(runId);
    expect(chat).toMatchObject({
      runId,
      step: 1,
      system: 'You are a helpful agent.',
      replyBegins: '<think>',
    });
    expect((await client.chats.start(runId)).jobId).toBe(jobId);
    await waitFor('it runs', async () => (await client.chats.get(runId, jobId)).state === 'running', 60_000);

    const at = lost.turns[1]?.sampled.start ?? 0;
    const columns = await client.trajectories.tokens(runId, lost.row.id, { count: at });
    const recorded = columns.tokens;
    const from = { trajectory: lost.row.id, turn: 1, temperature: 0, maxTokens: 24 };
    const first = await ask(jobId, from);
    expect(first.prompt).toEqual(recorded);
    expect(first.count).toBeGreaterThan(1);
    expect(first.ids.length).toBeLessThanOrEqual(24);
    expect(first.end).toMatch(/^(stop|length)$/);
    const said = first.tokens.slice(0, first.end === 'stop' ? -1 : undefined);
    expect(first.text).toBe(said.map(({ text }) => text).join(''));
    for (const { logprob } of first.tokens) expect(logprob).toBeLessThanOrEqual(0);
    // greedy, so the same again
    expect((await ask(jobId, from)).ids).toEqual(first.ids);

    const before = [...first.prompt, ...first.ids];
    const next = await ask(jobId, { before, message: 'You fell into a hole.', maxTokens: 4 });
    expect(next.prompt.slice(0, before.length)).toEqual(before);
    expect(next.prompt.length).toBeGreaterThan(before.length);

    const fresh = await ask(jobId, { message: 'Hello', maxTokens: 4, seed: 1 });
    const bare = await ask(jobId, { message: 'Hello', system: '', maxTokens: 4, seed: 1 });
    expect(bare.prompt.length).toBeLessThan(fresh.prompt.length);

    // who reads no further stops it, and the model is there for the next
    for await (const piece of client.chats.reply(runId, jobId, { message: 'Hello', maxTokens: 64 }))
      if (piece.tokens.length > 0) break;
    await expect(ask(jobId, { before: [99_999_999] })).rejects.toThrow(
      'continue_token_ids: expected ids below',
    );
    await expect(ask(jobId, { trajectory: lost.row.id, turn: 99 })).rejects.toThrow('has no turn 99');
    await expect(ask(jobId, {})).rejects.toThrow('expected what is said');
    await expect(client.runs.evaluations(runId)).resolves.not.toContainEqual(
      expect.objectContaining({ jobId }),
    );

    await client.chats.end(runId, jobId);
    await waitFor(
      'it has ended',
      async () => (await client.chats.get(runId, jobId)).endedAt !== null,
      20_000,
    );
    await expect(ask(jobId, { message: 'Hello' })).rejects.toMatchObject({
      message: expect.stringContaining('start the chat again') as unknown,
      details: { code: 'chat.unavailable' },
    });
    expect((await client.chats.end(runId, jobId)).state).toBe('cancelled');
  }, 120_000);

  it('is refused where there is no such checkpoint or chat', async () => {
    await expect(client.chats.start(runId, { step: 7 })).rejects.toThrow('checkpoint of step 7');
    await expect(client.chats.get(runId, 'job-none')).rejects.toThrow('no such chat');
  });
});

describe.skipIf(!canBrowse)('the turning point, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('shows the oracle beside the model, is played to success by hand, and continued', async () => {
    const { page, complaints, strayed } = await openWatched(browser, server.url);
    const address = `/runs/${runId}/trajectories/${lost.row.id}?view=turning&turn=1`;
    await page.goto(`${server.url}${address}#key=${server.adminKey}`);
    await page.waitForSelector('table[aria-label^="Actions of the model"]');
    const best = lost.turns[0]?.plan ?? [];
    expect(await page.textContent('table[aria-label^="Actions of the model"]')).toContain(best[0]);
    await page.click('button:has-text("Play on from here")');
    await page.waitForSelector('.play-on img.scene');
    // on ice that slips, the oracle is asked again after each step
    for (let step = 0; step < 60; step++) {
      const before = await page.locator('.played li').count();
      await page.click('button:has-text("take its action")');
      await page.locator(`.played li >> nth=${before}`).waitFor();
      if ((await page.locator('button:has-text("take its action")').count()) === 0) break;
    }
    await page.waitForSelector('.play-on :text("Success"), .play-on :text("ended without success")');
    const played = new URL(page.url()).searchParams.get('played') ?? '[]';
    expect((JSON.parse(played) as string[]).length).toBe(await page.locator('.played li').count());
    // a link shows the same state
    await page.reload();
    await page.waitForSelector('.play-on :text("Success"), .play-on :text("ended without success")');
    await page.click('button:has-text("start again")');
    await page.waitForSelector('[aria-label="Actions"] button');
    await page.fill('label:has-text("Times") input', '0');
    expect(await page.isDisabled('button:text-is("From turn 1")')).toBe(true);
    await page.fill('label:has-text("Times") input', '3');
    await page.click('button:text-is("From turn 1")');
    const table = page.locator('.continued:has-text("3 times") tr[data-turn="0"]');
    await table.waitFor({ timeout: 60_000 });
    expect(await table.textContent()).toMatch(/%.*to .*%/);
    await page.waitForSelector('[data-chance="0"]');
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 90_000);

  it('scores what is stored again from the list, and shows the new totals beside the old', async () => {
    const { page, complaints, strayed } = await openWatched(browser, server.url);
    const viewer = await server.createKey({ name: 'onlooker', role: 'viewer' });
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('nav[aria-label="Views"]');
    await checkRescoringInPage(client, runId, { page, url: server.url, viewer });
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('says what checkpoints think of each token, and when a sentence became likely', async () => {
    const { page, complaints, strayed } = await openWatched(browser, server.url);
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('nav[aria-label="Views"]');
    await checkTokensUnderCheckpoints(client, runId, { page, url: server.url, id: lost.row.id });
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('has a chat beside it, from the turn that one looks at, with tokens, another message and a new try', async () => {
    const { page, complaints, strayed } = await openWatched(browser, server.url);
    page.setDefaultTimeout(60_000);
    const address = `/runs/${runId}/trajectories/${lost.row.id}?view=turns`;
    await page.goto(`${server.url}${address}#key=${server.adminKey}`);
    await page.click('.turn:has-text("Turn 2") button:has-text("Chat from here")');
    expect(new URL(page.url()).searchParams.get('chatTurn')).toBe('2');
    await page.click('.chat summary');
    await page.fill('.chat label:has-text("Tokens") input', '16');
    await page.fill('.chat label:has-text("Top-p") input', '7');
    expect(await page.getAttribute('.chat label:has-text("Top-p") input', 'aria-invalid')).toBe('true');
    await page.click('button:has-text("Let the model reply to turn 2")');
    const replies = page.locator('.chat .said.written:has(footer):not([aria-busy="true"])');
    await replies.first().waitFor();
    const at = lost.turns[1]?.sampled.start ?? 0;
    // built from -- a number
    const counted = new RegExp(`tokens after a prompt of ${at} · mean log-prob`);
    expect(await replies.first().textContent()).toMatch(counted);
    await page.click('.chat button:has-text("token by token")');
    expect(await page.getAttribute('.chat .token', 'title')).toMatch(/^token \d+, log-probability [−0]/);
    await page.fill('.chat textarea', '<img src=x onerror=alert(1)> You fell.');
    await page.press('.chat textarea', 'Enter');
    await replies.nth(1).waitFor();
    expect(await page.textContent('.chat .said.seen')).toContain('<img src=x');
    await page.click('.chat button:has-text("Regenerate")');
    await page.waitForSelector('.chat button:has-text("Stop")', { state: 'detached' });
    expect(await replies.count()).toBe(2);
    // the conversation is still there when the chat is opened again
    await page.click('button[aria-label="Close the chat"]');
    await page.click('.turn:has-text("Turn 2") button:has-text("Chat from here")');
    expect(await replies.count()).toBe(2);
    const other = await server.createKey({ name: 'colleague', role: 'operator' });
    await checkKeptChat(page, { own: server.adminKey, other });
    // the model stays loaded for a new conversation, here without the run's system message
    await page.goto(`${server.url}/runs/${runId}?chat=newest`);
    await page.click('.chat summary:has-text("System message: from the run")');
    await page.uncheck('.chat label:has-text("use the one of the run") input');
    await page.fill('.chat textarea[aria-label="Message"]', 'Hello');
    const [sent] = await Promise.all([
      page.waitForRequest(/\/reply$/),
      page.press('.chat textarea[aria-label="Message"]', 'Enter'),
    ]);
    expect(sent.postDataJSON()).toMatchObject({ message: 'Hello', system: '' });
    await replies.first().waitFor();
    await page.click('.chat button:has-text("Unload")');
    await page.waitForSelector('.chat button:has-text("Unload")', { state: 'detached' });
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('is a film that plays, pauses and steps, by keys and by buttons, with its place in the address', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    const one = `/runs/${runId}/trajectories/${lost.row.id}`;
    await page.goto(`${server.url}${one}?view=playback#key=${server.adminKey}`);
    const frame = async (): Promise<number> =>
      Number(await page.locator('[data-frame]').getAttribute('data-frame'));
    await page.waitForSelector('.film h2:has-text("Turn 1: the model sees")');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.film h2:has-text("Turn 1: the model writes")');
    expect(await page.textContent('.film .told')).toContain(lost.turns[0]?.answer);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.film .actions');
    await page.keyboard.press('.');
    await page.waitForSelector('.film h2:has-text("Turn 2: the model sees")');
    expect([await frame(), new URL(page.url()).searchParams.get('frame')]).toEqual([4, '4']);
    await page.click('[aria-label="Speed"] button:has-text("4×")');
    await page.click('.film button:has-text("Play")');
    await expect.poll(frame).toBeGreaterThan(4);
    await page.click('.film button:has-text("Pause")');
    const stopped = await frame();
    await page.waitForTimeout(500);
    expect(await frame()).toBe(stopped);
    await page.keyboard.press('End');
    await page.waitForSelector('.film .told :text("No success")');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.reload();
    await page.waitForSelector('.film h2:has-text("Turn 1: the model writes")');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('stands beside another of its group, with the first difference marked, is saved as a file, and walked from', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    const { group, step, split, id } = lost.row;
    const { items } = await client.trajectories.list(runId, { group, fromStep: step, toStep: step, split });
    const other = items.find((row) => row.id !== id);
    const [left, right] = [lost, await client.trajectories.get(runId, other?.id ?? '')];
    const texts = (turns: typeof left.turns) => turns.map(({ response }) => response);
    const first = texts(left.turns).findIndex((text, at) => text !== texts(right.turns)[at]);
    const view = `${server.url}/runs/${runId}/trajectories/${id}?view=beside`;
    await page.goto(`${view}#key=${server.adminKey}`);
    await page.selectOption('.beside-picker select', other?.id ?? '');
    await page.waitForSelector('[data-difference]');
    // the state before the first turn is that of the group
    expect(await page.textContent('.beside-side >> nth=0')).toContain('= same state');
    const marked = page.locator('.differs-first');
    expect(await marked.count()).toBe(1);
    expect(await marked.locator('h3').allTextContents()).toContain(`Turn ${first + 1}`);
    expect(new URL(page.url()).searchParams.get('with')).toBe(other?.id);
    const save = async (name: string): Promise<Record<string, unknown>> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`button:text-is("${name}")`),
      ]);
      return JSON.parse(readFileSync(await download.path(), 'utf8')) as Record<string, unknown>;
    };
    expect(await save('JSON')).toEqual(lost);
    const atif = await save('ATIF');
    expect(atif).toMatchObject({ schema_version: 'ATIF-v1.8', session_id: runId, trajectory_id: id });
    expect(atif).toEqual(await client.trajectories.atif(runId, id));
    const rest = await client.rest(`/api/v1/runs/${runId}/trajectory-atif/${id}`);
    expect(await rest.json()).toEqual(atif);
    expect((atif['steps'] as unknown[]).length).toBe(2 * lost.turns.length);
    await checkWalk(client, runId, page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
