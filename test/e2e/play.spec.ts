/** @file Any environment played by hand: over GraphQL and REST, and on the page in real Chromium. Nothing trains here. */
import { type Client, createClient } from '@espalier/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { inspectPage, isVisible, payloads } from '../support/payloads.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer();
  client = createClient({ url: server.url, key: server.adminKey });
}, 120_000);
afterAll(async () => {
  await client.dispose();
  await server.close();
});

describe('an environment that is played by hand', () => {
  const lake = { use: 'frozen-lake', successRate: 1 };

  it('is reset with its seeds and takes actions, the same over GraphQL and REST', async () => {
    const start = await client.environments.play({ environment: lake, seed: 7 });
    expect(start).toMatchObject({ hasOracle: true, steps: [], ended: null, actions: expect.any(Array) });
    expect(start.image).toMatch(/^iVBOR/);
    const plan = start.plan ?? [];
    expect(plan.length).toBeGreaterThan(0);
    const won = await client.environments.play({ environment: lake, seed: 7, actions: plan });
    expect(won).toMatchObject({ ended: 'success', plan: null });
    expect(won.steps.map(({ action, valid, effective }) => [action, valid, effective])).toEqual(
      plan.map((action) => [action, true, true]),
    );
    const body = JSON.stringify({ environment: lake, seed: 7, actions: plan });
    const headers = { 'content-type': 'application/json' };
    const answer = await client.rest('/api/v1/environments/play', { method: 'POST', headers, body });
    expect(await answer.json()).toEqual(won);
  });

  it('is refused with the reason: programs, services, files of the server, wrong options, viewers', async () => {
    const refusals = [
      [{ use: 'agent-program' }, /environment\.|a program plays it/],
      [{ use: 'code-repair' }, /play environment code-repair by hand: its episodes need processes/],
      [
        {
          use: 'search-qa',
          corpus: { source: 'files', documents: ['/etc/passwd'], questions: ['/etc/passwd'] },
        },
        /a key may not choose files|environment/,
      ],
      [{ ...lake, succesRate: 1 }, /succesRate.*successRate/s],
      [{ use: 'no-such' }, /no-such/],
    ] as const;
    for (const [environment, reason] of refusals)
      await expect(client.environments.play({ environment })).rejects.toThrow(reason);
    const many = Array.from({ length: 201 }, () => 'Up');
    await expect(client.environments.play({ environment: lake, actions: many })).rejects.toThrow(/actions/);
    const viewer = await server.createKey({ name: 'looker', role: 'viewer' });
    const watching = createClient({ url: server.url, key: viewer });
    await expect(watching.environments.play({ environment: lake })).rejects.toThrow(/operator/);
    await watching.dispose();
  });
});

it.skipIf(!canBrowse)('is played on the page by buttons and keys, and the address keeps it', async () => {
  const browser = await launchBrowser();
  const { page, complaints } = await openWatched(browser, server.url);
  page.setDefaultTimeout(60_000);
  await page.goto(`${server.url}/play?env=frozen-lake&seed=7#key=${server.adminKey}`);
  await page.waitForSelector('.play-on img.scene');
  await page.click('.play-setup button:has-text("more option")');
  await page.fill('#option-environment-successRate', '1');
  await page.keyboard.press('Enter');
  await page.waitForURL(/options=/);
  await page.waitForSelector('[aria-label="Actions"] button');
  // a field keeps its keys; wherever else the focus is, they play
  await page.focus('#option-environment-successRate');
  await page.keyboard.press('ArrowLeft');
  await page.click('h1');
  expect(await page.locator('.board :focus, .board:focus, input:focus').count()).toBe(0);
  await page.keyboard.press('ArrowUp');
  await page.waitForSelector('.played li:has-text("Up")');
  expect(await page.locator('.played li').count()).toBe(1);
  await page.click('button:has-text("take one back")');
  await page.waitForSelector('.played', { state: 'detached' });
  const plan = (
    await client.environments.play({ environment: { use: 'frozen-lake', successRate: 1 }, seed: 7 })
  ).plan;
  for (const step of (plan ?? []).keys()) {
    await page.click('button:has-text("take its action")');
    await page.locator(`.played li >> nth=${step}`).waitFor();
  }
  await page.waitForSelector('.play-on b.up:has-text("Success")');
  await page.reload();
  await page.waitForSelector('.play-on b.up:has-text("Success")');
  // what an address brings is text: actions that nobody can take, and an environment of such a name
  const address = (env: string, played: readonly string[]) =>
    `${server.url}/play?${new URLSearchParams({ env, seed: '7', played: JSON.stringify(played) })}`;
  for (const [env, played] of [
    ['bandit', payloads.filter(isVisible).slice(0, 150)],
    [payloads[0] ?? '', []],
  ] as const) {
    await page.goto(address(env, played));
    await page.waitForSelector('.play-on .played li, .play-on [role="alert"], main [role="alert"]');
    expect(await page.evaluate(inspectPage)).toEqual([undefined, 0]);
  }
  await page.goto(`${server.url}/play?env=frozen-lake&seed=7`);
  await page.waitForSelector('.play-on img.scene');
  await page.selectOption('#option-environment-use', 'code-repair');
  await page.waitForSelector('.play-on [role="alert"]:has-text("espalier play")');
  expect(complaints.filter((text) => !text.includes('status of 4'))).toEqual([]);
  await browser.close();
});
