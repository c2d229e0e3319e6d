/** @file A page of the dashboard in headless Chromium, and what is measured in it: long tasks and frames. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { BenchServer } from '../server/bench-server.js';

export const executablePath = '/usr/bin/chromium';

/** Why nothing can be measured here; undefined: it can. */
export const missingBrowser = (): string | undefined =>
  existsSync(executablePath) ? undefined : `no Chromium at ${executablePath}; install the package chromium`;

export interface Panned {
  /** of the browser, a second */
  readonly frames: number;
  /** of the chart, a second: its canvas was cleared and drawn */
  readonly redraws: number;
  /** between two frames, ms */
  readonly longest: number;
}

export interface BenchPage {
  readonly page: Page;
  /** Opens an address; gives the ms until a selector is there, from the start of the navigation. */
  open(address: string, selector: string): Promise<number>;
  /** The longest tasks of the main thread since the page was opened, ms, longest first; those under 50 ms are none. */
  longTasks(): Promise<readonly number[]>;
  /** Processor time that the process of the page has taken so far, s; that of a busy machine says little else. */
  processorSeconds(): Promise<number>;
  /** Drags a chart to and fro, a step with each frame, and counts the frames and how often it was drawn anew. */
  pan(chart: string, moves: number): Promise<Panned>;
  close(): Promise<void>;
}

/** Starts Chromium and signs in by a link. */
export async function openBenchPage({ url, adminKey }: BenchServer): Promise<BenchPage> {
  const browser: Browser = await chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  // of every page that is opened from now on
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ entryTypes: ['longtask'] });
  `);
  await page.goto(`${url}/#key=${adminKey}`);
  await page.waitForSelector('nav[aria-label="Views"]');
  return {
    page,
    async open(address, selector) {
      const begin = performance.now();
      await page.goto(url + address, { waitUntil: 'commit' });
      await page.waitForSelector(selector, { timeout: 120_000 });
      return performance.now() - begin;
    },
    longTasks: async () => (await page.evaluate<number[]>('longTasks')).sort((a, b) => b - a),
    async processorSeconds() {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN;
    },
    pan: (chart, moves) => page.evaluate<Panned>(`(${panInPage})(${JSON.stringify(chart)}, ${moves})`),
    close: () => browser.close(),
  };
}

/** Runs in the page: a pointer that moves with each frame is as fast as a person's, whatever the way to the browser takes. */
const panInPage = `async (chart, moves) => {
  const over = document.querySelector(chart + ' .u-over');
  const { canvas } = document.querySelector(chart + ' canvas').getContext('2d');
  const { left, top, width, height } = over.getBoundingClientRect();
  const at = (move) => ({
    clientX: left + width / 2 + 80 * Math.sin(move / 10), clientY: top + height / 2,
    shiftKey: true, bubbles: true, cancelable: true, buttons: 1,
  });
  let redraws = 0;
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    if (this.canvas === canvas) redraws++;
    return clearRect.apply(this, area);
  };
  const frame = () => new Promise(requestAnimationFrame);
  over.dispatchEvent(new MouseEvent('mousedown', at(0)));
  const times = [await frame()];
  for (let move = 1; move <= moves; move++) {
    window.dispatchEvent(new MouseEvent('mousemove', at(move)));
    times.push(await frame());
  }
  window.dispatchEvent(new MouseEvent('mouseup', at(moves)));
  CanvasRenderingContext2D.prototype.clearRect = clearRect;
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  const seconds = (times.at(-1) - times[0]) / 1000;
  return { frames: gaps.length / seconds, redraws: redraws / seconds, longest: Math.max(...gaps) };
}`;
