/** @file The trajectories of a step, and of the steps beside it, walked from the one that is open. */
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

/** From one step to another and back, at the same place. @param page signed in */
export async function checkWalkOfSteps(client: Client, runId: string, page: Page): Promise<void> {
  const [first, second] = await Promise.all(
    [1, 2].map(async (step) => {
      const { items } = await client.trajectories.list(runId, {
        fromStep: step,
        toStep: step,
        split: 'train',
      });
      return items.map(({ id }) => id);
    }),
  );
  const at = (id: string | undefined) =>
    page.waitForURL((url) => url.pathname.endsWith(`/trajectories/${id}`));
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/runs/${runId}/trajectories/${first?.[1]}?view=turns&split=train&from=1&to=1`);
  await page.waitForSelector('.strip:has-text("Step 1, 2 of ")');
  await page.focus('[aria-label="Trajectory of the step"]');
  await page.keyboard.press('ArrowRight');
  await at(second?.[1]);
  await page.waitForSelector('.strip:has-text("Step 2, 2 of ")');
  // the step that was chosen goes along, and the view stays
  await page.waitForURL(/from=2&to=2/);
  await page.waitForSelector('button[aria-pressed="true"]:text-is("Turns")');
  await page.keyboard.press('ArrowLeft');
  await at(first?.[1]);
  // validation alone is before it, which does not fit
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await at(first?.[2]);
}
