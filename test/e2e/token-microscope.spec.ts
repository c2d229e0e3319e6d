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
    const summary = { outcome: 'trained' as const, lossTokens, clippedTokens: 2, updateShare: 0.25 };
    await writer.write([trajectoryEvent(7, 0, summary)]);
    const file = gzipSync(`${encodeTrajectory(long, { kept: true, update })}\n`, { level: 1 });
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
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector(`[data-token="${read + 1}"][aria-pressed="true"]`);
    expect(new URL(page.url()).searchParams.get('token')).toBe(String(read + 1));
    // the second extreme lies in the middle
    await page.click('.extremes button >> nth=1');
    const far = 50 * turnTokens + read;
    const there = page.locator(`[data-token="${far}"][aria-pressed="true"]`);
    await there.waitFor();
    expect(await there.getAttribute('class')).toMatch(/clip low/);
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
});
