/** @file A walk through the conversations that a browser keeps, from one with two replies that is open. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const replies = '.chat .said.written';
const message = '.chat textarea[aria-label="Message"]';

/** @param keys of whoever is signed in, and of somebody else; afterwards the first is signed in and the first conversation open */
export async function checkKeptChat(
  page: Page,
  keys: { readonly own: string; readonly other: string },
): Promise<void> {
  const names = (): Promise<string[]> =>
    page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('espalier-chat'))`);
  await page.fill(message, 'not sent yet');
  const shown = await page.textContent('.chat .exchanges');
  expect(shown).toContain('<img src=x onerror=alert(1)> You fell.');
  const address = new URL(page.url());
  expect(address.searchParams.get('chatId')).toMatch(/^[0-9a-f]{16}$/);
  await page.reload();
  await page.locator(replies).nth(1).waitFor();
  expect(await page.textContent('.chat .exchanges')).toBe(shown);
  expect(await page.inputValue(message)).toBe('not sent yet');
  expect(await page.textContent('.chat .sampling summary')).toContain('at most 16 tokens');
  await page.locator('.chat button:has-text("token by token")').last().click();
  expect(await page.getAttribute('.chat .token', 'title')).toMatch(/^token \d+, log-probability [−0]/);

  // a reply that was on its way when the page went
  await page.route(/\/reply$/, () => undefined);
  await page.press(message, 'Enter');
  await page.waitForSelector('.chat :text("Loading the model, or reading")');
  await page.reload();
  await page.waitForSelector('.chat :text("No reply: the page was closed")');
  await page.unroute(/\/reply$/);
  await page.click('.chat button:has-text("Sample again")');
  await page.locator(`${replies}:has(footer):not([aria-busy="true"])`).nth(2).waitFor();
  expect(await page.locator('.chat button:has-text("Sample again")').count()).toBe(0);

  // another one, and back by keyboard
  await page.click('.chat button:has-text("New conversation")');
  await page.waitForSelector(replies, { state: 'detached' });
  await page.focus('.chat .kept-chats summary');
  for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
  await page.locator(replies).nth(2).waitFor();
  expect(new URL(page.url()).searchParams.get('chatId')).toBe(address.searchParams.get('chatId'));
  expect(await page.locator('.kept-chats [aria-current]').textContent()).toContain('<img src=x');

  // somebody else in the same browser, who then signs out
  const theirs = await page.context().newPage();
  await theirs.goto(`${page.url()}#key=${keys.other}`);
  await theirs.waitForSelector('.chat button:has-text("Let the model reply to turn 2")');
  expect(await theirs.locator(`${replies}, .kept-chats`).count()).toBe(0);
  await theirs.click('button:has-text("Sign out")');
  expect(await names()).toHaveLength(1);
  await theirs.close();

  await page.click('.kept-chats button[aria-label^="Delete the conversation"]');
  await page.waitForSelector('.kept-chats', { state: 'detached' });
  await page.waitForSelector(replies, { state: 'detached' });
  expect(await names()).toEqual([]);
  await page.goto(`${address.origin}${address.pathname}?chat=newest`);
  await page.fill(message, 'my secret');
  await page.waitForSelector('.kept-chats :text("my secret")', { state: 'attached' });
  await page.click('button:has-text("Sign out")');
  await page.waitForSelector('#key');
  expect(await names()).toEqual([]);
  await page.goto(`${page.url()}#key=${keys.own}`);
  await page.waitForSelector(message);
  expect(await page.inputValue(message)).toBe('');
}
