/**
 * @file A real browser: Debian's Chromium, driven by playwright-core. Where it is absent, its tests are skipped visibly
 * on a user's machine and fail under CI.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether browser tests can run; under CI they must. */
export const canBrowse = existsSync(executablePath) || process.env['CI'] !== undefined;

/** Forbidden activity of a page. */
export interface Watched {
  readonly page: Page;
  /** requests to other origins */
  readonly strayed: string[];
  /** console errors, including violations of the content security policy */
  readonly complaints: string[];
}

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args });
}

/** Opens a page in a new session and records its requests and errors. */
export async function openWatched(browser: Browser, origin: string): Promise<Watched> {
  // what moves without end is drawn without end, by the processor
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  // against what never comes, not against a slow machine
  page.setDefaultTimeout(60_000);
  const strayed: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) strayed.push(url);
  });
  page.on('websocket', (socket) => {
    if (!socket.url().startsWith(origin.replace('http', 'ws'))) strayed.push(socket.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, strayed, complaints };
}
