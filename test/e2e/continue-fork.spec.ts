/** @file A fork that continues: on the command line alone, and through a server with a twin beside it. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRepeatable } from '@espalier/contracts/metric';
import { hashFile } from '@espalier/files';
import { readMetrics } from '@espalier/recorder';
import type { Ledger } from '@espalier/report/ledger';
import { waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

let up: UpProcess;
let config: string;
let parentId: string;
beforeAll(async () => {
  up = await startUp();
  const model = await makeSprout(up.folder);
  // a reference policy, a critic and a schedule: all that a fork could lose
  const spec = sproutSpec(model, {
    name: undefined,
    steps: 6,
    checkpoint: { every: 2, keep: 5 },
    validation: { every: 2, episodes: 4 },
    optimizer: { learningRate: 0.001, schedule: { kind: 'linear' } },
  });
  config = join(up.folder, 'line.yaml');
  writeFileSync(config, JSON.stringify(spec));
  parentId = (await up.json<{ id: string }>('run', 'create', config)).id;
  await waitFor(
    'the parent has ended',
    async () => (await up.client.runs.get(parentId)).state === 'finished',
  );
}, 180_000);
afterAll(() => up.close(), 120_000);

/** Weights and moments of a checkpoint. */
const hashesOf = (run: string, step: number): Record<string, string> => {
  const folder = join(up.folder, run, `checkpoints/step-00000${step}`);
  const files = ['policy', 'critic'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => `${name}/${file}`),
  );
  return Object.fromEntries(files.map((file) => [file, hashFile(join(folder, file))]));
};
const rowsOf = (run: string, after: number) =>
  readMetrics(join(up.folder, run, 'metrics.jsonl'))
    .filter(({ step }) => step > after)
    .map(({ step, values }): [number, Record<string, number>] => [
      step,
      Object.fromEntries(Object.entries(values).filter(([name]) => isRepeatable(name))),
    ]);
/** Totals of a run after a step. */
const totalsAt = (step: number, rows: ReturnType<typeof rowsOf>) => (name: string) =>
  rows.find(([own, values]) => own === step && name in values)?.[1][name] ?? Number.NaN;

describe('espalier train --fork', () => {
  it('repeats the parent bit for bit, and goes another way with a changed setting', async () => {
    const train = async (...words: string[]) => {
      const { code, stderr } = await callCli(['train', ...words], { cwd: up.folder });
      expect([words, code, code === 0 ? '' : stderr]).toEqual([words, 0, '']);
    };
    mkdirSync(join(up.folder, 'local'));
    await train(config, '--out', 'local/parent');
    await train('--fork', 'local/parent@2', '--out', 'local/twin');
    await train('--fork', 'local/parent@2', '--out', 'local/other', '--set', 'optimizer.learningRate=0.002');
    expect(rowsOf('local/twin', 2)).toEqual(rowsOf('local/parent', 2));
    expect(rowsOf('local/twin', 2).length).toBeGreaterThanOrEqual(6);
    expect(hashesOf('local/twin', 6)).toEqual(hashesOf('local/parent', 6));
    expect(Object.keys(hashesOf('local/twin', 6))).toEqual(
      expect.arrayContaining(['policy/optimizer.safetensors', 'critic/optimizer.safetensors']),
    );
    expect(hashesOf('local/other', 6)).not.toEqual(hashesOf('local/parent', 6));
    const first = (run: string) => rowsOf(run, 2)[0]?.[1] ?? {};
    // the first batch is still the same: only what the update did with it differs
    expect(first('local/other')['rollout/entropy']).toBe(first('local/parent')['rollout/entropy']);
  }, 120_000);

  it('costs what it did itself, and not what its parent had done', async () => {
    const words = ['compare', 'local/parent', 'local/twin', '--json'];
    const { stdout } = await callCli(words, { cwd: up.folder });
    const [whole, own] = (JSON.parse(stdout) as { ledgers: Ledger[] }).ledgers;
    const before = totalsAt(2, rowsOf('local/parent', 0));
    expect(own).toMatchObject({
      sampledTokens: (whole?.sampledTokens ?? 0) - before('total/sampled_tokens'),
      trainedTokens: (whole?.trainedTokens ?? 0) - before('total/trained_tokens'),
      environmentSteps: (whole?.environmentSteps ?? 0) - before('total/environment_steps'),
      episodes: (whole?.episodes ?? 0) - before('total/episodes'),
      optimizerSteps:
        (whole?.optimizerSteps ?? 0) - before('update/policy_steps') - before('update/critic_steps'),
    });
    expect(before('update/critic_steps')).toBeGreaterThan(0);
    const sampled = rowsOf('local/twin', 2).map(([, values]) => values['rollout/sampled_tokens'] ?? 0);
    expect(own?.sampledTokens).toBe(sampled.reduce((sum, value) => sum + value));
  });

  it.each([
    [['--fork', 'local/parent@3'], 4, /no checkpoint of step 3/],
    [['--fork', 'local/parent@2', '--set', 'steps=2'], 3, /raise steps/],
    [['--fork', 'local/parent@2', '--resume'], 2, /leave one of them out/],
    [[], 2, /no configuration; name a file/],
  ])('refuses %j', async (words, expected, message) => {
    const { code, stderr } = await callCli(['train', ...words, '--out', 'local/none'], { cwd: up.folder });
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(readdirSync(join(up.folder, 'local'))).not.toContain('none');
  });
});

describe('espalier run fork --continue', () => {
  const forksOf = async () => (await up.client.runs.list({ parentRunId: parentId })).items;

  it('says what it would take', async () => {
    const words = ['run', 'fork', parentId + '@2', '--continue', '--dry-run'];
    expect((await up.cli(...words)).stdout).toContain('takes: weights, moments, critic, counters, monitor');
    expect((await up.cli('run', 'fork', parentId, '--twin')).stderr).toMatch(/cli.usage.*add --continue/);
    for (const [change, message] of [
      ['steps=2', /has completed 2 steps and steps is 2/],
      ['model.path=/elsewhere', /model/],
    ] as const) {
      const refused = await up.cli('run', 'fork', parentId + '@2', '--continue', '--set', change);
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(message)]);
    }
    expect(await forksOf()).toEqual([]);
  }, 60_000);

  it('starts a changed fork beside a twin, which agrees with the parent bit for bit', async () => {
    const change = ['--set', 'optimizer.learningRate=0.002', '--name', 'changed'];
    await up.json('run', 'fork', parentId + '@2', '--continue', '--twin', ...change);
    await waitFor(
      'both have ended',
      async () => (await forksOf()).filter(({ state }) => state === 'finished').length === 2,
      90_000,
    );
    const forks = await forksOf();
    const twin = forks.find(({ name }) => name.startsWith('twin of'));
    const changed = forks.find(({ name }) => name === 'changed');
    expect(await up.client.runs.twin(changed?.id ?? '')).toBeNull();
    const agreement = await up.client.runs.twin(twin?.id ?? '');
    expect(agreement).toMatchObject({ state: 'agrees', fromStep: 2, upToStep: 6, differsIn: null });
    const { ledgers } = await up.client.runs.compare([parentId, twin?.id ?? ''], {
      metrics: [],
      ledger: true,
    });
    const [whole, own] = ledgers ?? [];
    expect([own?.steps, own?.episodes]).toEqual([4, ((whole?.episodes ?? 0) * 4) / 6]);
    // two checkpoints with weights and moments of policy and critic
    expect(agreement?.files).toBe(8);
    expect(agreement?.values).toBeGreaterThan(100);
    expect((await up.cli('run', 'show', twin?.id ?? '')).stdout).toMatch(
      /from +run-\S+@2, continued with everything\n +twin +agrees: equal bit for bit up to step 6/,
    );
    // the same twin serves the next changed fork
    const other = { step: 2, continue: true, twin: true, overrides: ['seed=5'] };
    await up.client.runs.fork(parentId, { ...other, needs: { labels: ['nowhere'] } });
    expect((await forksOf()).filter(({ name }) => name.startsWith('twin of'))).toHaveLength(1);
  }, 180_000);

  it('keeps the first checkpoint of its own, so that it can be forked again without its parent', async () => {
    const [twin] = (await forksOf()).filter(({ name }) => name.startsWith('twin of'));
    const steps = (await up.client.runs.checkpoints(twin?.id ?? '')).map(({ step }) => step);
    expect(steps).toEqual([2, 4, 6]);
    const again = await up.json<{ id: string }>('run', 'fork', `${twin?.id}@4`, '--continue', '--name', 'grandchild'); // prettier-ignore
    const ended = async () => {
      const { state, message } = await up.client.runs.get(again.id);
      if (['failed', 'no-signal', 'cancelled'].includes(state)) throw new Error(`${state}: ${message}`);
      return state === 'finished';
    };
    await waitFor('it has ended', ended);
    expect(await up.client.runs.twin(again.id)).toMatchObject({ state: 'agrees', fromStep: 4, upToStep: 6 });
  }, 120_000);
});
