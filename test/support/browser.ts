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

/** The tests of a browser can run, or must: under CI there has to be one. */
export const canBrowse = existsSync(executablePath) || process.env['CI'] !== undefined;

/** What a page did that it should not have done. */
export interface Watched {
  readonly page: Page;
  /** requests to other origins */
  readonly strayed: string[];
  /** errors on its console, violations of the content security policy among them */
  readonly complaints: string[];
}

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args });
}

/** Opens a page of its own session and watches what it asks for and complains of. */
export async function openWatched(browser: Browser, origin: string): Promise<Watched> {
  const context = await browser.newContext();
  const page = await context.newPage();
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
