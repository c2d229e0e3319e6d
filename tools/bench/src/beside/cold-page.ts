/** @file Pages of any program in one browser that reaches this machine only; each opening has a profile of its own. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { AppError } from '@espalier/contracts';
import { executablePath } from '../browser/bench-page.js';
import type { View } from './viewer.js';

/** What an opening took. */
export interface Opening {
  /** from the start of the navigation until as many lines are drawn, ms */
  readonly ms: number;
  /** bytes of its own files that came over the network, compressed and with headers: scripts, styles, fonts, pictures */
  readonly fileBytes: number;
  /** bytes of the answers that its scripts asked for */
  readonly dataBytes: number;
  /** longest task of the main thread until then, ms; those under 50 ms are none */
  readonly longestTask: number;
}

export interface ColdPage {
  readonly page: Page;
  /** hosts elsewhere that it asked for */
  readonly elsewhere: ReadonlySet<string>;
  /** Opens a view, and waits until its first chart has drawn so many lines. */
  open(view: View, lines: number): Promise<Opening>;
  /** Loads it once more, with what the browser has kept; ms until as many lines are drawn. */
  again(view: View, lines: number): Promise<number>;
  /** Watches a view during an action. */
  watch(view: View, action: () => Promise<void>): Promise<Motion>;
  close(): Promise<void>;
}

export interface Motion {
  /** of the main thread, a second */
  readonly frames: number;
  /** times a second that the picture of the chart was another */
  readonly pictures: number;
  /** between two frames, ms */
  readonly longestGap: number;
}

/** How long anything is waited for, ms; what takes longer could not be measured. */
export const patience = 180_000;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      // no page may load anything from elsewhere: each is measured as it is without a network
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });

/** Opens a page without cache, cookies and storage. @param script runs before those of the page */
export async function openColdPage(browser: Browser, script: string): Promise<ColdPage> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  await page.addInitScript(pageTools);
  await page.addInitScript(script);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const bytes = { file: 0, data: 0 };
  const kinds = new Map<string, 'file' | 'data'>();
  const elsewhere = new Set<string>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    kinds.set(requestId, type === 'XHR' || type === 'Fetch' ? 'data' : 'file');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes[kinds.get(requestId) ?? 'file'] += encodedDataLength;
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') elsewhere.add(hostname);
  });
  const load = async (view: View, lines: number, go: () => Promise<unknown>): Promise<number> => {
    const begin = performance.now();
    await go();
    await view.prepare?.(page);
    await until(page, `(${view.lines}) >= ${lines}`, patience);
    return performance.now() - begin;
  };
  return {
    page,
    elsewhere,
    async open(view, lines) {
      const ms = await load(view, lines, () =>
        page.goto(view.address, { waitUntil: 'commit', timeout: patience }),
      );
      const tasks = await page.evaluate<number[]>('longTasks');
      return { ms, fileBytes: bytes.file, dataBytes: bytes.data, longestTask: Math.max(0, ...tasks) };
    },
    again: (view, lines) => load(view, lines, () => page.reload({ waitUntil: 'commit', timeout: patience })),
    async watch(view, action) {
      await page.evaluate(`watchPicture(() => ${view.picture})`);
      await action();
      return page.evaluate<Motion>('endWatch()');
    },
    close: () => context.close(),
  };
}

/** Waits until a condition holds, looked at in the page at every frame: questions from outside would cost it time. */
export async function until(page: Page, condition: string, timeoutMs: number): Promise<void> {
  // by the inspector, which no content security policy forbids
  const holds = await page.evaluate<boolean>(`new Promise((resolve) => {
    const end = performance.now() + ${timeoutMs};
    const look = () => {
      if (${condition}) resolve(true);
      else if (performance.now() > end) resolve(false);
      else requestAnimationFrame(look);
    };
    look();
  })`);
  if (!holds) throw new AppError('bench.item_failed', `not within ${timeoutMs / 1000} s`);
}

/**
 * In every page: the long tasks; how many pixels of the middle of a canvas have a colour, as lines do and axes do not; a text
 * that changes with a canvas; and the frames while something is watched.
 */
const pageTools = `
  window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ entryTypes: ['longtask'] });
  const copyOf = (canvas, width, height, share) => {
    const scratch = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    const side = (1 - share) / 2;
    scratch.drawImage(canvas, canvas.width * side, canvas.height * side, canvas.width * share, canvas.height * share, 0, 0, width, height);
    return scratch.getImageData(0, 0, width, height).data;
  };
  window.colouredPixels = (canvas) => {
    if (!canvas || canvas.width < 10 || canvas.height < 10) return 0;
    const data = copyOf(canvas, Math.round(canvas.width * 0.6), Math.round(canvas.height * 0.6), 0.6);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 64) continue;
      if (Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 12) found++;
    }
    return found;
  };
  window.pictureOf = (canvas) => {
    if (!canvas || canvas.width < 10) return '';
    let hash = 0;
    for (const value of copyOf(canvas, 160, 80, 0.8)) hash = (Math.imul(hash, 31) + value) | 0;
    return String(hash);
  };
  let watched;
  window.watchPicture = (read) => {
    const state = { times: [], isOn: true };
    let before = read();
    let changes = 0;
    const count = (now) => {
      state.times.push(now);
      const picture = read();
      if (picture !== before) changes++;
      before = picture;
      state.changes = changes;
      if (state.isOn) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    watched = state;
  };
  window.endWatch = () => {
    watched.isOn = false;
    const { times, changes } = watched;
    const gaps = times.slice(1).map((time, at) => time - times[at]);
    const seconds = (times[times.length - 1] - times[0]) / 1000;
    return { frames: gaps.length / seconds, pictures: changes / seconds, longestGap: Math.max(...gaps) };
  };
`;
