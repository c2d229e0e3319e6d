/** @file 200 texts of models and people that would run or hide something, in every view of a run, in real Chromium: they stay text. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Client, createClient } from '@espalier/client';
import type { Trajectory } from '@espalier/contracts';
import { encodeTrajectory } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { sha256Of } from '../support/held-attempt.js';
import { insertCheckpoint } from '../support/insert-checkpoint.js';
import { findHidden, inspectPage, isVisible, payloads } from '../support/payloads.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { wholeTrajectory } from '../support/whole-trajectory.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

const all = payloads.join('\n');
const written = payloads.filter(isVisible);
/** what control and format characters are shown as */
const marks = ['␛[2J', '␇', '⟨U+202E⟩', '⟨U+200B⟩', '␀'];
const step = 7;
const one = `train/${step}/0/0`;
const spec = {
  environment: { use: 'bandit' },
  algorithm: { use: 'grpo' },
  model: { use: 'seedling' },
  steps: 9,
};

describe.skipIf(!canBrowse)('text of models and people, in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-text-'));
  let server: TestServer;
  let browser: Browser;
  let client: Client;
  let writer: EventWriter;
  /** with three texts each in their titles */
  const forks: string[] = [];
  let page: Page;
  let strayed: readonly string[];
  let complaints: readonly string[];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    client = createClient({ url: server.url, key: server.adminKey });
    writer = await createWriter(server);
    const { runId } = writer;
    const runs = server.app.get(DataSource).getRepository(Run);
    // a report needs every option
    const { id } = await client.runs.create({ spec });
    const { spec: whole } = await runs.findOneByOrFail({ id });
    await runs.update({ id: runId }, { spec: whole, steps: 9 } as never);
    const tags = payloads.filter((text) => isVisible(text) && text.length <= 64).slice(0, 20);
    await client.runs.edit(runId, { title: payloads[1] ?? '', tags });
    await writer.write([
      ...payloads.map((text) => ({ kind: 'log' as const, time: 1, text })),
      { kind: 'warning', time: 1, step: 1, code: 'run.odd', message: all },
    ] as never);
    await writer.write(writtenRows());
    const file = gzipSync(`${encodeTrajectory(writtenTrajectory(), { kept: true })}\n`);
    await server.app
      .get(ArtifactService, { strict: false })
      .store(
        runId,
        writer.attemptId,
        1,
        `trajectories/step-00000${step}.jsonl.gz`,
        sha256Of(file),
        Readable.from([file]),
      );
    for (let at = 0; at < payloads.length; at += 3) {
      // SQLite ends a text at NUL
      const title = payloads
        .slice(at, at + 3)
        .join(' ')
        .replaceAll('\0', '');
      const fork = await createWriter(server);
      const parent = { parentRunId: runId, parentStep: step };
      const labels = payloads.slice(at, at + 3).map((text) => text.replaceAll('\0', ''));
      await runs.update({ id: fork.runId }, { spec: whole, title, tags: labels, ...parent } as never);
      forks.push(fork.runId);
    }
    await insertCheckpoint(server.app.get(DataSource), runId, step);
    ({ page, strayed, complaints } = await openWatched(browser, server.url));
    page.setDefaultTimeout(60_000);
    await page.goto(`${server.url}/#key=${server.adminKey}`);
    await page.waitForSelector('nav[aria-label="Views"]');
  }, 120_000);
  afterAll(async () => {
    await client.dispose();
    await browser.close();
    await server.close();
    removeFolder(folder);
  });

  /** Opens an address of the run, waits for something in it, and looks for what payloads would have made. */
  const visit = async (address: string, place: string): Promise<string> => {
    await page.goto(server.url + address);
    await page.waitForSelector(place);
    expect([address, await page.evaluate(inspectPage)]).toEqual([address, [undefined, 0]]);
    expect([address, await page.evaluate(findHidden)]).toEqual([address, []]);
    return (await page.textContent('#page')) ?? '';
  };
  /** Names and tags of the list of runs, of which only what is near is drawn. */
  const scrollThrough = async () => {
    const found = { name: '', tags: '' };
    const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
    for (let top = 0; top < height; top += 400) {
      await page.evaluate(`window.scrollTo(0, ${top})`);
      await page.waitForTimeout(50);
      expect(await page.evaluate(findHidden)).toEqual([]);
      for (const cell of ['name', 'tags'] as const)
        found[cell] += (await page.locator(`[data-cell="${cell}"]`).allTextContents()).join('\n');
    }
    return found;
  };
  const ofRun = (rest: string): string => `/runs/${writer.runId}${rest}`;
  const ofTrajectory = (rest: string): string => ofRun(`/trajectories/${one}${rest}`);

  it('is text in the views of a run and its trajectories, its hidden characters as marks', async () => {
    await visit('/', '.name-cell');
    const rows = await scrollThrough();
    for (const text of [...written, ...marks.slice(0, -1)])
      for (const cell of ['name', 'tags'] as const)
        expect([cell, text, rows[cell].includes(text)]).toEqual([cell, text, true]);
    await visit(ofRun(''), '.events');
    await visit(ofRun('/log'), '.log');
    const log = (await page.textContent('.log')) ?? '';
    for (const text of [...written, ...marks]) expect(log).toContain(text);
    await visit('/compare?all=1', '[data-part="prompts"]');
    const chooser = (await page.textContent('[data-part="chooser"] .chooser')) ?? '';
    const tags = (await page.textContent('[data-part="chooser"] select[aria-label="Tag"]')) ?? '';
    for (const text of [...written, ...marks.slice(0, -1)]) {
      expect(chooser).toContain(text);
      expect(tags).toContain(text);
    }
    await visit(ofRun('/trajectories'), '.trajectories .body');
    const views = [
      ['', '.message.written.last'],
      ['?view=turns', '.turn'],
      ['?view=playback&frame=2', '.film .part'],
      ['?view=playback&frame=3', '.film .actions'],
      [`?view=beside&with=${encodeURIComponent(one)}`, '.beside-side'],
    ] as const;
    for (const [view, place] of views) {
      const shown = await visit(ofTrajectory(view), place);
      for (const text of [...written.slice(0, 20), ...marks]) expect(shown).toContain(text);
    }
    await visit(ofTrajectory('?view=tokens'), '.tokens');
    await visit(ofTrajectory(''), '.message.written.last');
    const shown = (await page.locator('.message.written pre').allTextContents()).join('');
    for (const text of [...written, ...marks]) expect(shown).toContain(text);
    await page.goto(server.url + ofRun(''));
    await page.click('.alert button');
    await page.waitForSelector('.alert', { state: 'detached' });
    expect([strayed, complaints]).toEqual([[], []]);
  }, 120_000);

  it('is text in the story of a step: errors, reasons, environments and the trajectories of groups', async () => {
    await visit(ofRun(`/steps?from=${step}&to=${step}`), '[data-group]');
    await page.click('.more-of:has-text("24 of 201 groups shown") button');
    await page.waitForSelector('[data-group] >> nth=200');
    expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
    const shown = (await page.textContent('#page')) ?? '';
    const tags = payloads.map((text) => text.slice(0, 64)).filter(isVisible);
    for (const text of tags) expect(shown).toContain(text);
    for (const reason of payloads.map((text) => text.slice(0, 40)).filter(isVisible))
      expect(shown).toContain(`dropped: ${reason.replaceAll('-', ' ')}`);
    for (const mark of marks.slice(0, 3)) expect(shown).toContain(mark);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('is text in the family tree, on its dots and in the form of a fork', async () => {
    await visit(ofRun(`/family?fork=${writer.runId}@${step}`), '.fork-panel');
    await page.waitForSelector(`.tree-row >> nth=${forks.length}`);
    const shown = (await page.textContent('.tree')) ?? '';
    for (const text of written) expect(shown).toContain(text);
    for (const mark of marks.slice(0, -1)) expect(shown).toContain(mark);
    expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('is text in a chat: what was said, what replies begin with, tokens and the list of conversations', async () => {
    const { keyId } = await client.me();
    const idOf = (at: number): string => at.toString(16).padStart(16, '0');
    const conversations = payloads.map((text, at) => ({
      name: `espalier-chat/${keyId}/${writer.runId}/${idOf(at)}`,
      stored: conversationOf(text, at % 50 === 0 ? all : text, Date.now() - at),
    }));
    // a browser keeps fifty of them
    for (let from = 0; from < conversations.length; from += 50) {
      const part = JSON.stringify(conversations.slice(from, from + 50));
      await page.evaluate(
        `localStorage.clear(); for (const { name, stored } of ${part}) localStorage.setItem(name, stored);`,
      );
      const shown = await visit(ofRun(`?chat=newest&chatId=${idOf(from)}`), '.chat .said.written pre');
      for (const text of payloads.slice(from + 1, from + 50).filter(isVisible))
        expect(shown).toContain(text.length > 60 ? text.slice(0, 60) : text);
      if (from > 0) continue;
      const said = (await page.textContent('.chat .said.written')) ?? '';
      for (const text of [...written, ...marks]) expect(said.split(text).length).toBeGreaterThan(2);
      await page.click('.chat button:has-text("token by token")');
      await page.waitForSelector('.chat .token');
      expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
    }
    expect(complaints).toEqual([]);
  }, 120_000);

  it('is text while it is played, in the list of all episodes and in the one that is read; axe has no serious finding', async () => {
    const turn = (index: number, text: string) => ({
      kind: 'turn' as const,
      time: 2,
      step: 8,
      id: `train/8/0/${index}`,
      environment: 'lake',
      turn: 0,
      phase: 'over' as const,
      observation: text,
      render: '',
      image: null,
      response: text,
      actions: [text.slice(0, 200)],
      reward: 0,
      totalReward: 0,
      ended: null,
    });
    await writer.write([
      ...payloads.map((text, index) => turn(index, text)),
      turn(payloads.length, all.slice(0, 2000)),
    ] as never);
    await visit(ofRun('/trajectories'), '.in-flight [data-episode]');
    const rows = page.locator('.in-flight .rows');
    const seen = new Set<string>();
    // only what is near is drawn, and the last rows may still be on their way: past the end, from the top again
    const deadline = Date.now() + 60_000;
    for (let top = 0; seen.size <= payloads.length; top += 200) {
      await rows.evaluate((list, to) => list.scrollTo(0, to % list.scrollHeight), top);
      await page.evaluate('new Promise(requestAnimationFrame)');
      for (const text of await rows.locator('[data-episode]').allTextContents()) seen.add(text);
      expect(Date.now()).toBeLessThan(deadline);
    }
    const listed = [...seen].join('\n');
    for (const text of [...written, ...marks]) expect(listed).toContain(text);
    await rows.evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.click(`.in-flight [data-episode="train/8/0/${payloads.length}"]`);
    await page.waitForSelector('.in-flight .reader pre.part');
    const read = (await page.textContent('.in-flight .reader')) ?? '';
    for (const text of payloads.slice(0, 20).filter(isVisible)) expect(read).toContain(text);
    expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await page.evaluate(
      `axe.run('.in-flight', { resultTypes: ['violations'] }).then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ' ' + nodes[0].target.join(' ')))`,
    );
    expect([found, complaints]).toEqual([[], []]);
  }, 120_000);

  it('is text in a report, its title too, which opens from disk', async () => {
    await page.goto(server.url + ofRun(''));
    const saved = page.waitForEvent('download');
    await page.click('button:text-is("Report")');
    const onDisk = join(folder, 'report.html');
    await (await saved).saveAs(onDisk);
    const report = await browser.newPage();
    const never = 'iframe, base, form, meta[http-equiv="refresh"], a[href^="javascript"], img, script[src]';
    const inspect = async (title: string): Promise<string> => {
      await report.goto(pathToFileURL(onDisk).href);
      expect(await report.textContent('h1')).toBe(title);
      expect(await report.evaluate(`[window.pwned, document.querySelectorAll('${never}').length]`)).toEqual([
        undefined,
        0,
      ]);
      return (await report.textContent('body')) ?? '';
    };
    const told = await inspect(payloads[1] ?? '');
    for (const text of written) expect(told).toContain(text);
    // of many runs, and with a heading that somebody gave it
    const title = payloads.slice(0, 5).join('').slice(0, 200);
    const made = await client.reports.make([writer.runId, ...forks], { title });
    writeFileSync(onDisk, Buffer.from(await made.arrayBuffer()));
    const titles = await inspect(title);
    for (const text of written) expect(titles).toContain(text);
    await report.close();
    expect([strayed, complaints]).toEqual([[], []]);
  }, 120_000);
});

/** A conversation as a browser keeps it: a line for the list, then the rest. */
function conversationOf(title: string, text: string, changedAt: number): string {
  const sampling = { temperature: 1, topP: 1, topK: 0, maxTokens: 8 };
  const exchange = {
    message: text,
    sampling,
    step,
    opening: text,
    text,
    ids: [1],
    texts: [text],
    logprobs: [-1],
    shared: 0,
    prompt: [1],
    state: 'failed',
    error: text,
  };
  const head = {
    form: 1,
    changedAt,
    title: title.slice(0, 60),
    step,
    exchanges: 1,
    place: { isAfter: false },
  };
  const body = { system: text, sampling, draft: text, exchanges: [exchange] };
  return `${JSON.stringify(head)}\n${JSON.stringify(body)}`;
}

/** Two hundred groups of one, each with its own error, reason and environment. */
function writtenRows() {
  const rows = payloads.map((text, index) =>
    trajectoryEvent(step, 0, {
      id: `train/${step}/${index + 1}/0`,
      group: index + 1,
      environmentTag: text.slice(0, 64),
      error: text,
      outcome: 'dropped',
      kept: false,
      dropped: { reason: text.slice(0, 40), numbers: {} },
    } as never),
  );
  return [
    trajectoryEvent(step, 0, { error: payloads[0] ?? '' }),
    ...rows,
    metricsEvent(step, { 'flow/trajectories': 1, 'flow/tokens': 1, 'rollout/reward_mean': 1 }),
  ];
}

/** A trajectory that has all of them wherever it has text. */
function writtenTrajectory(): Trajectory {
  const turn = {
    index: 0,
    observation: all,
    stateKey: '',
    render: all,
    facts: {},
    response: all,
    think: all,
    answer: all,
    formatValid: true,
    parsedActions: [],
    actions: [{ text: all, valid: true, effective: true, reward: 1, metrics: {} }],
    reward: 1,
    formatPenalty: 0,
    sampleStop: 'stop',
    sampled: { start: 1, end: 3 },
    policyVersion: 0,
    timings: { sampleMs: 1, environmentMs: 1 },
  };
  return {
    ...wholeTrajectory(one),
    turns: [turn],
    textEnds: Int32Array.of(0, 9, all.length),
  } as unknown as Trajectory;
}
