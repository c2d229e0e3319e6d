import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canBrowse, launchBrowser, openWatched } from '../support/browser.js';
import { createJob } from '../support/create-job.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const folder = fileURLToPath(new URL('../../apps/server', import.meta.url));

describe('the tabs of GraphiQL', () => {
  const schema = buildSchema(readFileSync(join(folder, 'schema.gql'), 'utf8'));
  const names = readdirSync(join(folder, 'pages/tabs')).filter((name) => name.endsWith('.graphql'));

  it.each(names)('ask for what the schema has: %s', (name) => {
    const text = readFileSync(join(folder, 'pages/tabs', name), 'utf8');
    expect(validate(schema, parse(text))).toEqual([]);
  });
});

describe.skipIf(!canBrowse)('the pages to explore, in Chromium', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startTestServer(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('answers a query in GraphiQL with the key of this tab, asking no other host', async () => {
    const { page, strayed, complaints } = await openWatched(browser, server.url);
    await page.goto(`${server.url}/graphiql`);
    await page.fill('#key', server.adminKey);
    await page.click('#bar button');
    await page.waitForSelector('#said:has-text("used")');
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    await page.evaluate(
      `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.setValue('{ version runs { nodes { id } } }')`,
    );
    await page.click('button.graphiql-execute-button');
    await page.waitForSelector('.result-window:has-text("0.1.0")');
    await page.click('button[aria-label="Show Documentation Explorer"]');
    await page.waitForSelector('text=query: Query');
    expect(await page.evaluate(`sessionStorage.getItem('espalier-key')`)).toBe(server.adminKey);
    expect(await page.evaluate(`JSON.stringify(localStorage)`)).not.toContain(server.adminKey);
    expect(strayed).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('has operations ready in GraphiQL: one starts a run, one follows it, one lists it', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    await page.goto(`${server.url}/graphiql`);
    await page.fill('#key', server.adminKey);
    await page.click('#bar button');
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    expect(await page.locator('.graphiql-tab-button').allTextContents()).toEqual([
      'StartRun',
      'FollowRun',
      'ListRuns',
    ]);
    const execute = () => page.click('button.graphiql-execute-button');
    const shown = (): Promise<string> =>
      page.evaluate(`document.querySelector('.result-window .CodeMirror').CodeMirror.getValue()`);
    await execute();
    await expect.poll(shown).toMatch(/"id": "run-.*"QUEUED"/s);
    const id = /run-[^"]+/.exec(await shown())?.[0] ?? '';
    await page.click('text=ListRuns');
    await execute();
    await expect.poll(shown).toContain(id);
    await page.click('text=FollowRun');
    const writer = await createWriter(server);
    await writer.write([metricsEvent(1, { 'rollout/success_rate': 0.625 })]);
    await page.evaluate(
      `document.querySelector('.graphiql-editor-tool .CodeMirror').CodeMirror.setValue('{ "runId": "${writer.runId}" }')`,
    );
    await execute();
    await expect.poll(shown).toContain('0.625');
    expect(complaints).toEqual([]);
  });

  it('asks for a key in GraphiQL before it asks the server for anything, and says when it is wrong', async () => {
    const { page, complaints } = await openWatched(browser, server.url);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.url}/`); // the sign-in of the dashboard
    await page.click('text=GraphiQL');
    await page.waitForSelector('#invitation:has-text("authorization: Bearer")');
    await page.waitForLoadState('networkidle');
    expect([asked.includes('/graphql'), complaints]).toEqual([false, []]);
    await page.fill('#key', 'esp_wrong');
    await page.click('#bar button');
    await page.waitForSelector('#said:has-text("key")');
    expect(await page.locator('#invitation').count()).toBe(1);
    await page.fill('#key', server.adminKey);
    await page.click('#bar button');
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    await page.reload(); // the key is of this tab
    await page.waitForSelector('#said:has-text("used")');
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
  });

  it('runs a subscription in GraphiQL over the socket', async () => {
    const { page, strayed, complaints } = await openWatched(browser, server.url);
    await page.goto(`${server.url}/graphiql`);
    await page.fill('#key', server.adminKey);
    await page.click('#bar button');
    await page.waitForSelector('#said:has-text("used")');
    await page.waitForSelector('.graphiql-query-editor .CodeMirror');
    const opened = page.waitForEvent('websocket');
    await page.evaluate(
      `document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.setValue('subscription { runChanged { id } }')`,
    );
    await page.click('button.graphiql-execute-button');
    await opened;
    const shown = page.waitForSelector('.result-window:has-text("run-")', { timeout: 20_000 });
    const timer = setInterval(() => void createJob(server), 500);
    await shown;
    clearInterval(timer);
    expect(strayed).toEqual([]);
    expect(complaints.filter((text) => /Content Security Policy|Refused to/.test(text))).toEqual([]);
  });

  it('lists the routes in Swagger UI, asking no other host', async () => {
    const { page, strayed, complaints } = await openWatched(browser, server.url);
    await page.goto(`${server.url}/docs`);
    await page.waitForSelector('.opblock:has-text("/api/v1/keys")');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(8);
    await page.click('button.authorize');
    await page.fill('.auth-container input', server.adminKey);
    await page.click('.auth-btn-wrapper button.authorize');
    await page.click('.auth-btn-wrapper button.btn-done');
    await page.click('#operations-keys-KeyController_list .opblock-summary-control');
    await page.click('#operations-keys-KeyController_list .try-out__btn');
    await page.click('#operations-keys-KeyController_list button.execute');
    await page.waitForSelector('#operations-keys-KeyController_list .live-responses-table:has-text("200")');
    expect(strayed).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
