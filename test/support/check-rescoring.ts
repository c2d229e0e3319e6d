/** @file Scores what a run of one iteration has stored again, by a real worker; its rewards are the usual two. */
import type { Client } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { callCli } from './call-cli.js';

/** Waits until an evaluation of a run has ended. */
export async function settleEvaluation(client: Client, runId: string, jobId: string) {
  const find = async () => (await client.runs.evaluations(runId)).find((one) => one.jobId === jobId);
  const isOver = async () => ['finished', 'failed'].includes((await find())?.state ?? '');
  await waitFor('the evaluation', isOver, 60_000);
  return find();
}

async function settle(client: Client, runId: string, jobId: string) {
  const evaluation = await settleEvaluation(client, runId, jobId);
  const { result = null } = (await client.runs.get(runId)).jobs.find(({ id }) => id === jobId) ?? {};
  return { evaluation, result: { ...result, ...(await client.runs.rescored(jobId)) } };
}

/** By other rewards and by the checkpoint at once, against what the run has stored. */
export async function checkRescoring(client: Client, runId: string): Promise<void> {
  const rewards = [{ use: 'environment-return', weight: 10 }, { use: 'format' }];
  const job = await client.runs.evaluate(runId, {
    step: 1,
    rescore: { rewards, logprobs: true, steps: [1] },
  });
  const { evaluation, result } = await settle(client, runId, job.id);
  // what was stored is no finding about the checkpoint
  const played = { split: null, episodes: null, successRate: null };
  expect(evaluation).toMatchObject({ state: 'finished', rescoredSteps: [1], ...played });
  expect(evaluation?.rescoredBy).toEqual([
    { use: 'environment-return', weight: 10 },
    { use: 'format', weight: 1 },
  ]);
  // those that were validated after it, too
  const rows = (await client.trajectories.list(runId)).items.filter(({ step }) => step === 1);
  const rate = rows.filter(({ success }) => success).length / rows.length;
  expect(result).toMatchObject({ episodes: rows.length, failed: 0, successRate: rate });
  // the same penalties for the format, and what the environment gave ten times
  const totals = rows.map(({ id, reward, environmentReward }) => ({
    trajectory: id,
    stored: expect.closeTo(reward ?? Number.NaN, 6),
    rescored: expect.closeTo((reward ?? Number.NaN) + 9 * (environmentReward ?? Number.NaN), 6),
  }));
  expect(result.rescoredTotals).toHaveLength(totals.length);
  expect(result.rescoredTotals).toEqual(expect.arrayContaining(totals));
  const stored = await Promise.all(rows.map(async ({ id }) => client.trajectories.get(runId, id)));
  const sampled = stored.flatMap(({ turns, logprobs }) =>
    turns.flatMap(({ sampled: { start, end } }) => logprobs.slice(start, end)),
  ) as number[];
  const [tokens] = result.rescoredTokens ?? [];
  expect(tokens).toMatchObject({ step: 1, tokens: sampled.length });
  const mean = sampled.reduce((sum, logprob) => sum + logprob, 0) / sampled.length;
  expect(tokens?.logprobStored).toBeCloseTo(mean, 5);
  // the checkpoint is one update away from the weights that sampled
  expect(tokens?.kl).toBeGreaterThan(1e-9);
  expect(tokens?.kl).toBeLessThan(0.1);
}

/** Rewards alone, what is refused, and the command line. */
export async function checkRescoringByRewards(
  client: Client,
  runId: string,
  access: { readonly url: string; readonly key: string },
): Promise<void> {
  const rescore = { rewards: [{ use: 'length' }] };
  const job = await client.runs.evaluate(runId, { rescore });
  const { evaluation, result } = await settle(client, runId, job.id);
  // validation before the first iteration is stored, too
  expect(evaluation).toMatchObject({ state: 'finished', rescoredSteps: [0, 1] });
  expect(evaluation?.rescoredBy).toEqual([{ use: 'length', weight: 1 }]);
  expect(Object.keys(result.metrics ?? {})).toContain('reward/length');
  const summary = { differingRescored: expect.any(Number) };
  expect(result).toMatchObject({ rescoredTokens: null, rescoredRewards: summary });
  const refused = async (given: object): Promise<string> =>
    client.runs.evaluate(runId, given).then(
      () => 'queued',
      (error: Error) => error.message,
    );
  expect(await refused({ rescore: {} })).toContain('name `rewards`, set `logprobs`, or both');
  const later = await refused({ rescore: { ...rescore, steps: [7] } });
  expect(later).toContain('no trajectories of step 7; stored are those of 2 steps, 0 to 1');
  expect(await refused({ rescore, step: 1 })).toContain('rewards read no checkpoint');
  expect(await refused({ rescore, episodes: 8 })).toContain('`episodes` has no effect');
  expect(await refused({ rescore: { rewards: [{ use: 'kindness' }] } })).toContain('kindness');
  expect(await refused({ rescore: { rewards: [{ use: 'length', perMile: 1 }] } })).toContain('perMile');
  const reward = '{use: environment-return, weight: 2}';
  const { url, key } = access;
  const words = `--logprobs --steps 1 --wait --server ${url} --key ${key}`.split(' ');
  const { code, stdout } = await callCli(['run', 'rescore', `${runId}@1`, '--reward', reward].concat(words));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^9 stored trajectories, success .* of 9\nmean total \S+ → \S+, correlation/);
  expect(stdout).toContain('KL per token');
}

/** In the list of trajectories: ten times the reward of the environment, the old one beside the new, also for a viewer. */
export async function checkRescoringInPage(
  client: Client,
  runId: string,
  { page, url, viewer }: { readonly page: Page; readonly url: string; readonly viewer: string },
): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/runs/${runId}/trajectories?from=1&to=1&split=train`);
  await page.click('button:has-text("Score again")');
  const panel = page.locator('[aria-label="Score again"]');
  await panel.locator('button:text-is("Score step 1 again")').waitFor();
  // the run's own rewards are where it begins; without any, and no checkpoint, there is nothing to do
  const useOf = (reward: number) => panel.locator(`[aria-label="Reward ${reward}"] select`).first();
  expect([await useOf(1).inputValue(), await useOf(2).inputValue()]).toEqual([
    'environment-return',
    'format',
  ]);
  await panel.locator('[aria-label="Reward 2"] button:text-is("Remove")').click();
  await panel.locator('[aria-label="Reward 1"] button:text-is("Remove")').click();
  expect(await panel.locator('button.primary').isDisabled()).toBe(true);
  await panel.locator('button:text-is("Add a reward")').click();
  await useOf(1).selectOption('environment-return');
  await panel
    .locator('[data-option="rewards.0.weight"] input')
    .or(panel.locator('button:has-text("more option")'))
    .first()
    .click();
  await panel.locator('[data-option="rewards.0.weight"] input').fill('10');
  await panel.locator('label:has-text("Log-probabilities") select').selectOption('1');
  await panel.locator('button.primary').click();
  await panel.locator('table[aria-label^="Rewards, stored"]').waitFor();
  const jobId = new URL(page.url()).searchParams.get('again') ?? '';
  const result = await client.runs.rescored(jobId);
  expect(result?.rescoredTokens?.map(({ step }) => step)).toEqual([1]);
  expect(await panel.locator('table[aria-label^="Tokens, sampled"] tbody tr').count()).toBe(1);
  const rows = (await client.trajectories.list(runId, { fromStep: 1, toStep: 1, split: 'train' })).items;
  const row = rows.find(({ environmentReward }) => environmentReward !== 0) ?? rows[0];
  const shown = page.locator(`.trajectories .line:has(a:text-is("${row?.id}"))`);
  // its format penalties are as they were
  const total = result?.rescoredTotals?.find(({ trajectory }) => trajectory === row?.id)?.rescored;
  const words = (text: string | null): number => Number(text?.replace('→', '').replace('−', '-').trim());
  expect(words(await shown.locator('.again').textContent())).toBeCloseTo(total ?? Number.NaN, 2);
  await shown.locator('a').click();
  await page.waitForSelector('.rewards .again:has-text("scored again")');
  await page.keyboard.press(']');
  await page.waitForSelector('.rewards .again:has-text("scored again")');
  await page.goto(`${url}/runs/${runId}/trajectories?again=${jobId}#key=${viewer}`);
  await page.waitForSelector(':text("needs a key with the operator role")');
  await page.locator('table[aria-label^="Rewards, stored"]').waitFor();
  expect(await panel.locator('button.primary').count()).toBe(0);
  await panel.locator('button[aria-label="Close"]').click();
  await expect.poll(() => new URL(page.url()).search).toBe('');
}

/** One trajectory token by token, by every checkpoint from the page; and what is refused. */
export async function checkTokensUnderCheckpoints(
  client: Client,
  runId: string,
  { page, url, id }: { readonly page: Page; readonly url: string; readonly id: string },
): Promise<void> {
  const refused = async (rescore: object): Promise<string> =>
    client.runs.evaluate(runId, { rescore }).then(
      () => 'queued',
      (error: Error) => error.message,
    );
  expect(await refused({ trajectory: id })).toContain('set `logprobs`, and leave `rewards` out');
  expect(await refused({ trajectory: id, logprobs: true, steps: [1] })).toContain('`steps` has no effect');
  expect(await refused({ trajectory: 'train/1/0/99', logprobs: true })).toContain('there is none');
  page.setDefaultTimeout(60_000);
  const { turns, logprobs } = await client.trajectories.get(runId, id);
  const token = (turns[1]?.sampled.start ?? 0) + 1;
  await page.goto(`${url}/runs/${runId}/trajectories/${id}?view=tokens&token=${token}`);
  await page.click('button:has-text("Score under checkpoints")');
  const panel = page.locator('[aria-label="Under checkpoints"]');
  const row = panel.locator('tr[data-step="1"]');
  expect(await row.textContent()).toContain('not scored');
  expect(await panel.textContent()).toContain('No checkpoint has scored it yet');
  await panel.locator('button:text-is("Score under step 1")').click();
  await panel.locator(':text("that scored it")').waitFor();
  const { jobId } =
    (await client.runs.evaluations(runId)).findLast(({ trajectory }) => trajectory === id) ?? {};
  const scored = (await client.runs.rescored(jobId ?? ''))?.rescoredTrajectory;
  const sampled = turns.flatMap(({ sampled: { start, end } }) =>
    Array.from({ length: end - start }, (_, at) => start + at),
  );
  expect(scored?.positions).toEqual(sampled);
  // the checkpoint is one update away from the weights that sampled
  const far =
    scored?.logprobs.map((value, at) => Math.abs((value ?? NaN) - (logprobs[sampled[at] ?? 0] ?? NaN))) ?? [];
  expect(Math.max(...far)).toBeGreaterThan(1e-4);
  expect(far.reduce((sum, one) => sum + one, 0) / far.length).toBeLessThan(0.2);
  const own = scored?.logprobs[sampled.indexOf(token)] ?? Number.NaN;
  const shown = (await row.locator('td').nth(1).textContent())?.replaceAll('−', '-') ?? '';
  expect(Number.parseFloat(shown)).toBeCloseTo(own, 1);
  expect(await panel.locator('q').textContent()).not.toBe('');
  // continuations of it are something else
  await page.goto(`${url}/runs/${runId}/trajectories/${id}?view=turning`);
  await page.waitForSelector('.turn-chart');
  expect(await page.locator(`.continued[data-job="${jobId}"]`).count()).toBe(0);
}
