/** @file A page of the dashboard in headless Chromium, and what is measured in it: long tasks and frames. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { BenchServer } from '../server/bench-server.js';

export const executablePath = '/usr/bin/chromium';

/** Why nothing can be measured here; undefined: it can. */
export const missingBrowser = (): string | undefined =>
  existsSync(executablePath) ? undefined : `no Chromium at ${executablePath}; install the package chromium`;

export interface BenchPage {
  readonly page: Page;
  /** Opens an address; gives the ms until a selector is there, from the start of the navigation. */
  open(address: string, selector: string): Promise<number>;
  /** The longest tasks of the main thread since the page was opened, ms, longest first; those under 50 ms are none. */
  longTasks(): Promise<readonly number[]>;
  /** Processor time that the process of the page has taken so far, s; that of a busy machine says little else. */
  processorSeconds(): Promise<number>;
  /** Counts the frames during an action: frames a second, and the longest gap, ms. */
  countFrames(action: () => Promise<void>): Promise<{ perSecond: number; longest: number }>;
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
    async countFrames(action) {
      await page.evaluate(`
        window.frames_ = [];
        window.isCounting = true;
        (function count(now) { frames_.push(now); if (isCounting) requestAnimationFrame(count); })(performance.now());
      `);
      await action();
      const times = await page.evaluate<number[]>('(isCounting = false, frames_)');
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
      return { perSecond: (1000 * gaps.length) / span, longest: Math.max(...gaps) };
    },
    close: () => browser.close(),
  };
}
