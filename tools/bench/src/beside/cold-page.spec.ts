import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingBrowser } from '../browser/bench-page.js';
import { type ColdPage, launchBrowser, openColdPage, until } from './cold-page.js';
import { countDrawn } from './tensorboard.js';
import type { View } from './viewer.js';

/** A page whose chart has axes at once, and a line when its data have come; it asks for a font elsewhere. */
const html = `<!doctype html><link rel="stylesheet" href="http://fonts.example/font.css"><canvas width="300" height="200"></canvas>
<script src="/chart.js"></script>`;
const script = `
  const draw = document.querySelector('canvas').getContext('2d');
  draw.fillStyle = '#999';
  for (let at = 0; at < 200; at += 20) draw.fillRect(0, at, 300, 1);
  window.line = (color, y) => { draw.fillStyle = color; draw.fillRect(0, y, 300, 2); };
  setTimeout(async () => { await (await fetch('/data')).text(); line('#0072b2', 90); }, 300);
${'// a comment\n'.repeat(2000)}`;
const data = '1'.repeat(10_000);
// as our own page: no text may be run as a script
const policy = "default-src 'self'; style-src 'self' http://fonts.example";

const absent = missingBrowser() !== undefined && process.env['CI'] === undefined;
describe.skipIf(absent)('a page in a profile of its own', { timeout: 60_000 }, () => {
  let server: Server;
  let browser: Browser;
  let page: ColdPage;
  let view: View;
  let asked: string[];
  beforeAll(async () => {
    asked = [];
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const headers = { 'content-security-policy': policy, 'cache-control': 'max-age=3600' };
      if (url === '/') response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(html);
      else if (url === '/data')
        response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(data);
      else if (url === '/chart.js') {
        const type = { 'content-type': 'text/javascript', 'content-encoding': 'gzip' };
        response.writeHead(200, { ...headers, ...type }).end(gzipSync(script));
      } else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const canvas = `document.querySelector('canvas')`;
    view = {
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      waitsFor: 'a line',
      lines: `colouredPixels(${canvas}) > 50 ? 1 : 0`,
      picture: `pictureOf(${canvas})`,
      chart: 'canvas',
    };
    browser = await launchBrowser();
    page = await openColdPage(browser, countDrawn);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('waits for a line, not for axes, and tells its files from its data', async () => {
    const { ms, fileBytes, dataBytes } = await page.open(view, 1);
    expect(ms).toBeGreaterThan(300);
    expect(dataBytes).toBeGreaterThan(data.length);
    expect(dataBytes).toBeLessThan(data.length + 1000);
    // compressed, with the headers
    expect(fileBytes).toBeGreaterThan(html.length);
    expect(fileBytes).toBeLessThan(3000);
    expect([...page.elsewhere]).toEqual(['fonts.example']);
  });

  it('loads again from its cache', async () => {
    await page.open(view, 1);
    asked.length = 0;
    expect(await page.again(view, 1)).toBeGreaterThan(300);
    expect(asked).not.toContain('/chart.js');
    expect(asked).toContain('/data');
  });

  it('counts pictures that differ, besides frames', async () => {
    await page.open(view, 1);
    const still = await page.watch(view, () => page.page.waitForTimeout(300));
    expect([still.pictures, still.frames > 5]).toEqual([0, true]);
    const moved = await page.watch(view, async () => {
      for (const y of [40, 60, 80, 100, 120]) {
        await page.page.evaluate(`line('#d55e00', ${y})`);
        await page.page.waitForTimeout(100);
      }
    });
    expect(moved.pictures).toBeGreaterThan(0);
    expect(moved.pictures).toBeLessThan(moved.frames);
  });

  it('says how long it waited in vain', async () => {
    await expect(until(page.page, 'false', 200)).rejects.toThrow('not within 0.2 s');
  });

  it('knows when the worker of a chart has drawn what it was sent', async () => {
    await page.open(view, 1);
    // what the worker of a chart of TensorBoard answers after each drawing, the first without series
    await page.page.evaluate(`(async () => {
      const { port1, port2 } = new MessageChannel();
      port2.onmessage = () => port2.postMessage({ type: 0 });
      port1.onmessage = () => undefined;
      const lengths = (...all) => ({ type: 0, compactDataSeries: { idsAndLengths: all.map((length) => ({ length })) } });
      port1.postMessage({ type: 5 });
      port1.postMessage(lengths());
      await new Promise((resolve) => setTimeout(resolve, 50));
      window.atFirst = drawnSeries;
      port1.postMessage(lengths(10, 0, 10));
    })()`);
    await until(page.page, 'drawnSeries === 2', 5000);
    expect(await page.page.evaluate('[atFirst, redraws >= 2]')).toEqual([0, true]);
  });
});
