/** @file The trajectories of a step, walked from the one that is open. */
import type { Client } from '@espalier/client';
import type { Page } from 'playwright-core';

/** @param page signed in */
export async function checkWalk(client: Client, runId: string, page: Page): Promise<void> {
  const { items } = await client.trajectories.list(runId, { fromStep: 1, toStep: 1 });
  const [first, second] = items.map(({ id }) => id);
  await page.goto(`${new URL(page.url()).origin}/runs/${runId}/trajectories/${first}?view=turns`);
  await page.waitForSelector(`.strip:has-text("Step 1, 1 of ${items.length}: ${first}")`);
  await page.focus('[aria-label="Trajectory of the step"]');
  await page.keyboard.press('ArrowDown');
  await page.waitForURL((url) => url.pathname.endsWith(`/trajectories/${second}`));
  await page.waitForSelector(`.strip:has-text("2 of ${items.length}: ${second}")`);
  // the focus stays, so that the next key goes on
  await page.keyboard.press('ArrowUp');
  await page.waitForURL((url) => url.pathname.endsWith(`/trajectories/${first}`));
  await page.click('.strip .cells', { position: { x: 2, y: 5 } });
  await page.waitForSelector('.turn :text("weights version 0, not stale")');
}
