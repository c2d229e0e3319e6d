/** @file The token microscope in real Chromium: what the update did to each token, on a trajectory of 400,000 of them. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { encodeTrajectory } from '@espalier/recorder';
import { createLongTrajectory, longestShape } from '@espalier/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { trajectoryEvent } from '../support/events.js';
import { sha256Of } from '../support/held-attempt.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter } from '../support/write-events.js';

const { turns: turnCount, turnTokens, promptTokens: read } = longestShape;
const lossTokens = turnCount * (turnTokens - read);
const { trajectory: long, update } = createLongTrajectory(longestShape);

describe.skipIf(!canBrowse)('the token microscope, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  let runId: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
    const writer = await createWriter(server);
    runId = writer.runId;
    const summary = {
      outcome: 'trained' as const,
      lossTokens,
      clippedTokens: 2,
      updateShare: 0.25,
      turns: turnCount,
      tokens: turnCount * turnTokens,
      sampledTokens: lossTokens,
    };
    await writer.write([trajectoryEvent(7, 0, summary)]);
    const file = gzipSync(`${encodeTrajectory({ ...long, level: 3 }, { kept: true, update })}\n`, {
      level: 1,
    });
    await server.app
      .get(ArtifactService, { strict: false })
      .store(
        writer.runId,
        writer.attemptId,
        1,
        'trajectories/step-000007.jsonl.gz',
        sha256Of(file),
        Readable.from([file]),
      );
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('spells out the loss of any of 400,000 tokens, and keeps only those in view', async () => {
    const { page, strayed, complaints } = await openWatched(browser, server.url);
    const address = `/runs/${runId}/trajectories/train/7/0/0?view=tokens&by=ratio`;
    await page.goto(`${server.url}${address}#key=${server.adminKey}`);
    await page.waitForSelector('.token');
    const first = page.locator(`[data-token="${read}"]`);
    expect(await first.getAttribute('class')).toMatch(/clip high/);
    await first.hover();
    const spelled = page.locator('.token-detail .spelled');
    await expect
      .poll(() => spelled.textContent())
      .toBe(
        'Ratio 1.5 with advantage 0.5 gives loss −0.5; clipped, as the ratio is above its upper bound: its gradient is 0.',
      );
    await first.click();
    // which weights sampled it: they changed in the middle, before the update
    await page.waitForSelector(
      '.facts :text("versions 5 to 6 in 2 segments, the oldest 2 optimizer steps stale")',
    );
    await page.waitForSelector('.facts div:has(dt:has-text("Level")) dd:text-is("3")');
    await page.waitForSelector('.token-detail dd:text-is("version 5, 2 optimizer steps stale")');
    expect(await page.getAttribute('.token-map .version', 'title')).toBe('From here on sampled by version 6');
    // what was read is there, too, by the ids that the model was given
    expect(await page.locator('[data-token="0"]').count()).toBe(0);
    await page.click(`.token-block button:has-text("${read} tokens read, not sampled") >> nth=0`);
    const given = page.locator('.read-tokens [data-token]');
    await given.first().waitFor();
    const shown = Math.min(read, 512);
    expect(await given.allInnerTexts()).toEqual(Array.from(long.tokens.slice(0, shown), (id) => String(id)));
    await given.first().click();
    await page.waitForSelector('.token-detail .big:text-is("not sampled")');
    await first.click();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector(`[data-token="${read + 1}"][aria-pressed="true"]`);
    expect(new URL(page.url()).searchParams.get('token')).toBe(String(read + 1));
    // the second extreme lies in the middle
    await page.click('.extremes button >> nth=1');
    const far = 50 * turnTokens + read;
    const there = page.locator(`[data-token="${far}"][aria-pressed="true"]`);
    await there.waitFor();
    expect(await there.getAttribute('class')).toMatch(/clip low/);
    await page.waitForSelector('.token-detail dd:text-is("version 6, 1 optimizer step stale")');
    expect(await spelled.textContent()).toMatch(/Ratio 0\.5 with advantage −2 gives loss 1\.6; clipped, as/);
    const drawn = await page.locator('.token').count();
    expect(drawn).toBeGreaterThan(100);
    expect(drawn).toBeLessThan(3000);
    // a link leads there, too
    await page.reload();
    await there.waitFor();
    expect(await page.isDisabled('button:has-text("Return")')).toBe(true);
    expect([strayed, complaints]).toEqual([[], []]);
    await page.context().close();
  }, 120_000);

  it('takes a comment on some of its tokens, and leads back to them', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    const address = `/runs/${runId}/trajectories/train/7/0/0`;
    await page.goto(`${server.url}${address}?view=tokens&token=${read + 3}#key=${server.adminKey}`);
    await page.waitForSelector(`[data-token="${read + 3}"][aria-pressed="true"]`);
    const comments = page.getByRole('region', { name: 'Comments on this trajectory' });
    // it begins with the token that is chosen
    await comments.getByLabel('About').selectOption('tokens');
    await comments.getByLabel('up to, not including').fill(String(read + 9));
    expect(await comments.getByLabel('from').inputValue()).toBe(String(read + 3));
    await page.fill('[aria-label="Comment: text"]', 'it repeats itself here');
    await comments.getByRole('button', { name: 'Comment', exact: true }).click();
    const link = comments.locator(`a:has-text("tokens ${read + 3}–${read + 9}")`);
    await link.waitFor();
    await page.goto(`${server.url}${address}?view=messages`);
    await link.click();
    await page.waitForSelector(`[data-token="${read + 3}"][aria-pressed="true"]`);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('lets text go on from block to block: no line ends before it is full', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    await page.goto(
      `${server.url}/runs/${runId}/trajectories/train/7/0/0?view=tokens#key=${server.adminKey}`,
    );
    await page.waitForSelector('.token');
    /** Where lines break though the next token would fit, and where tokens lie over one another. */
    const faults = () =>
      page.evaluate<{ joints: number; early: number; over: number }>(`(() => {
        const list = document.querySelector('.token-list');
        const end = list.getBoundingClientRect().right - 14;
        const line = Number.parseFloat(getComputedStyle(document.querySelector('.tokens')).lineHeight);
        const blocks = [...document.querySelectorAll('.token-block')].map((one) => [...one.querySelectorAll('.token')]);
        let [joints, early, over] = [0, 0, 0];
        const tokens = blocks.flat();
        for (let at = 1; at < tokens.length; at++) {
          const [before, after] = [tokens[at - 1], tokens[at]];
          const isJoint = before.closest('.token-block') !== after.closest('.token-block');
          if (isJoint && after.closest('.token-block').querySelector('header') !== null) continue;
          const [a, b] = [[...before.getClientRects()].at(-1), after.getClientRects()[0]];
          const isSameLine = Math.abs(a.top - b.top) < line / 2;
          if (isJoint) joints++;
          if (isSameLine && b.left < a.right - 1) over++;
          if (!isSameLine && Math.abs(b.top - a.top - line) > line / 2) over++;
          if (!isSameLine && !before.textContent.endsWith('\\n') && a.right + b.width < end - 2) early++;
        }
        return { joints, early, over };
      })()`);
    const isWhole = async () => {
      const { joints, early, over } = await faults();
      return joints > 0 && early === 0 && over === 0;
    };
    await expect.poll(faults).toMatchObject({ early: 0, over: 0 });
    expect((await faults()).joints).toBeGreaterThan(0);
    // scrolled, in the middle after a jump, and back up from there
    for (const scroll of [
      'scrollBy(0, 700)',
      'scrollTo(0, document.body.scrollHeight / 2)',
      'scrollBy(0, -400)',
      'scrollBy(0, -400)',
    ]) {
      await page.evaluate(scroll);
      await expect.poll(isWhole).toBe(true);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(isWhole).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 120_000);
});
