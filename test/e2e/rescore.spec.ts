import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScoreRecord } from '@espalier/contracts';
import type { EvaluationResult } from '@espalier/protocol';
import { readTrajectories } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-rescore-'));
const run = join(folder, 'run');
const rescore = (...words: string[]) => callCli(['rescore', 'run', ...words], { cwd: folder });
const stored = () => [0, 1, 2].flatMap((step) => readTrajectories(join(run, 'trajectories'), { step }));

/** Two iterations of the built-in model on Bandit. */
beforeAll(async () => {
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: grpo }',
    'model: { use: seedling }',
    'steps: 2',
    'device: { threads: 1 }',
    'rollout: { promptsPerStep: 2, groupSize: 4, temperature: 0.7 }',
    'validation: { every: 0, episodes: 8 }',
    'optimizer: { learningRate: 0.001 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), `${yaml.join('\n')}\n`);
  const { code, stdout } = await callCli(['train', 'run.yaml', '--out', 'run'], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('finished')]);
}, 120_000);
afterAll(() => removeFolder(folder));

/** Hangs in half of the episodes, by their seed. */
const sleepy = `
import { createStream, defineEnvironment } from '@espalier/plugin-kit';
export default defineEnvironment({
  id: 'sleepy',
  summary: 'Some episodes never begin.',
  instruction: 'Choose one of the two arms.',
  actions: ['Phoenix', 'Dragon'],
  create: () => ({
    reset: async ({ noise }) => {
      if (createStream(noise).next() < 0.5) await new Promise((resolve) => setTimeout(resolve, 1500));
      return 'There are two arms: Phoenix and Dragon.';
    },
    step: async () => ({ observation: 'over', reward: 1, done: true, success: true }),
  }),
});
`;

it('reads the plugins of a run, and leaves out episodes that timed out', async () => {
  mkdirSync(join(folder, 'sleepy'));
  const about = {
    name: 'espalier-environment-sleepy',
    version: '1.0.0',
    type: 'module',
    exports: './index.js',
  };
  writeFileSync(join(folder, 'sleepy/package.json'), JSON.stringify(about));
  writeFileSync(join(folder, 'sleepy/index.js'), sleepy);
  const yaml = [
    'plugins: [./sleepy]',
    'environment: { use: sleepy, callTimeoutMs: 300 }',
    'algorithm: { use: grpo }',
    'model: { use: seedling }',
    'steps: 1',
    'device: { threads: 1 }',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 16, maxFailedShare: 0.9 }',
    'validation: { every: 0, atStart: false, atEnd: false }',
  ];
  writeFileSync(join(folder, 'sleepy.yaml'), `${yaml.join('\n')}\n`);
  const trained = await callCli(['train', 'sleepy.yaml', '--out', 'sleepy-run'], { cwd: folder });
  expect([trained.code, trained.stderr]).toEqual([0, expect.anything()]);
  const all = readTrajectories(join(folder, 'sleepy-run/trajectories'), { step: 1 });
  const lost = all.filter(({ stopReason }) => stopReason === 'timeout').length;
  expect(lost).toBeGreaterThan(0);
  const words = ['rescore', 'sleepy-run', '--reward', 'environment-return', '--json'];
  const { code, stdout } = await callCli(words, { cwd: folder });
  const result = JSON.parse(stdout) as EvaluationResult;
  expect([code, result.episodes, result.failed]).toEqual([0, all.length - lost, lost]);
}, 120_000);

describe('espalier rescore --reward', () => {
  it('gives the totals of a reward worked by hand, and leaves the run as it is', async () => {
    const before = readdirSync(join(run, 'trajectories')).map((name) =>
      readFileSync(join(run, 'trajectories', name)),
    );
    const words = [
      '--reward',
      '{use: environment-return, weight: 10}',
      '--reward',
      'length',
      '--out',
      'a.jsonl',
    ];
    const { code, stdout } = await rescore(...words, '--json');
    expect(code).toBe(0);
    const lines = readFileSync(join(folder, 'a.jsonl'), 'utf8').trim().split('\n');
    const scores = lines.map(
      (line) => JSON.parse(line) as { id: string; total: number; rescored: ScoreRecord },
    );
    expect(scores.map(({ id }) => id)).toEqual(stored().map(({ id }) => id));
    for (const [index, { score }] of stored().entries()) {
      const { rewards, total } = scores[index]?.rescored as ScoreRecord;
      expect(rewards['environment-return']).toEqual({ value: score.environment, weight: 10 });
      expect(total).toBeCloseTo(10 * score.environment + (rewards['length']?.value ?? Number.NaN), 9);
    }
    const result = JSON.parse(stdout) as EvaluationResult;
    const mean = stored().reduce((sum, { score }) => sum + score.total, 0) / stored().length;
    expect(result).toMatchObject({ episodes: stored().length, environment: 'bandit', failed: 0 });
    expect(result.successRate).toBe(stored().filter(({ success }) => success).length / stored().length);
    expect(result.rescoredRewards?.meanStored).toBeCloseTo(mean, 9);
    expect(result.rescoredTotals).toEqual(
      scores.map(({ id, total, rescored }) => ({ trajectory: id, stored: total, rescored: rescored.total })),
    );
    expect(Object.keys(result.metrics)).toContain('reward/length');
    expect(
      readdirSync(join(run, 'trajectories')).map((name) => readFileSync(join(run, 'trajectories', name))),
    ).toEqual(before);
  });

  it('takes any reward, also where the filter of the run had to have another one', async () => {
    cpSync(run, join(folder, 'filtered'), { recursive: true });
    const file = join(folder, 'filtered/spec.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as object;
    const filter = { kind: 'top-p', value: 0.9, zeros: 'drop', noiseSeeds: 4 };
    writeFileSync(file, JSON.stringify({ ...spec, filter }));
    const { code, stdout, stderr } = await callCli(['rescore', 'filtered', '--reward', 'length'], {
      cwd: folder,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('rescoring steps of filtered: 0 of 3\n')]);
    expect(stdout).toContain(`${stored().length} trajectories of filtered`);
  });

  it('finds no difference in the rewards that the run had', async () => {
    const { stdout } = await rescore('--reward', 'environment-return', '--reward', 'format', '--steps', '2');
    expect(stdout).toMatch(/mean total (\S+) → \1, correlation 1\n/);
    expect(stdout).toContain('pairs told apart the other way 0.0 %');
  });
});

describe('espalier rescore --model', () => {
  it('gives the log-probabilities of sampling for the weights that sampled', async () => {
    const { code, stdout } = await rescore('--model', 'seedling', '--json', '--out', 'new/tokens.jsonl');
    expect(code).toBe(0);
    const { rescoredTokens: steps = [] } = JSON.parse(stdout) as EvaluationResult;
    expect(steps.map(({ step }) => step)).toEqual([0, 1, 2]);
    // the first validation and the first step were sampled from the built-in model itself, the second after an update
    expect(steps[0]?.kl).toBeLessThan(1e-7);
    expect(steps[1]?.kl).toBeLessThan(1e-7);
    expect(steps[2]?.kl).toBeGreaterThan(1e-5);
    const [line = ''] = readFileSync(join(folder, 'new/tokens.jsonl'), 'utf8').split('\n');
    const first = JSON.parse(line) as { positions: number[]; logprobs: number[]; entropies: number[] };
    const [trajectory] = stored();
    expect(first.positions.length).toBeGreaterThan(5);
    for (const [index, position] of first.positions.entries()) {
      expect(first.logprobs[index]).toBeCloseTo(trajectory?.logprobs[position] ?? Number.NaN, 4);
      expect(first.entropies[index]).toBeCloseTo(trajectory?.entropies[position] ?? Number.NaN, 4);
    }
  });
});

describe('espalier rescore --trajectory', () => {
  it('gives each token of the one its value, and compares nothing that is not there', async () => {
    const one = stored().find(({ step }) => step === 1);
    const { stdout } = await rescore('--model', 'seedling', '--trajectory', one?.id ?? '', '--json');
    const { episodes, rescoredTrajectory: tokens, rescoredTokens } = JSON.parse(stdout) as EvaluationResult;
    expect([episodes, rescoredTokens?.length]).toEqual([1, 1]);
    expect(tokens?.positions).toHaveLength(rescoredTokens?.[0]?.tokens ?? 0);
    for (const [index, position] of (tokens?.positions ?? []).entries())
      expect(tokens?.logprobs[index]).toBeCloseTo(one?.logprobs[position] ?? Number.NaN, 3);
    // it is alone in its group, so nobody differs from it
    const alone = await rescore('--reward', 'length', '--trajectory', one?.id ?? '', '--json');
    expect((JSON.parse(alone.stdout) as EvaluationResult).rescoredRewards).toMatchObject({
      differingStored: 0,
      differingRescored: 0,
    });
  });
});

describe('espalier rescore with bad input', () => {
  it.each([
    [[], 2, 'name a --reward, a --model, or both'],
    [['--reward', 'lenght'], 4, 'rescore --reward: no reward "lenght" is installed; did you mean length?'],
    [['--reward', '{use: length, perMile: 1}'], 3, 'rescore --reward: unknown key rewards.0.perMile'],
    [['--reward', '{use: length'], 2, 'not YAML; write an id'],
    [['--reward', 'length', '--steps', '2,9'], 4, 'no trajectories of step 9; there are 0..2'],
    [['--reward', 'length', '--steps', 'two'], 2, '--steps two: expected steps with commas'],
    [['--reward', 'length', '--out', 'run.yaml'], 3, 'run.yaml: it exists; name a new file'],
    [['--model', 'nowhere'], 4, 'nowhere'],
    [['--reward', 'length', '--trajectory', 'train/1/9/9'], 4, 'run run has none of that id'],
  ] as const)('refuses %j with %i', async (words, code, message) => {
    const result = await rescore(...words);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('names a damaged file, and writes nothing', async () => {
    cpSync(run, join(folder, 'damaged'), { recursive: true });
    const file = join(folder, 'damaged/trajectories/step-000002.jsonl.gz');
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
    const words = ['rescore', 'damaged', '--reward', 'length', '--out', 'none.jsonl'];
    const { code, stderr } = await callCli(words, { cwd: folder });
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('step-000002.jsonl.gz')]);
    expect(readdirSync(folder).filter((name) => name.startsWith('none.jsonl'))).toEqual([]);
    const below = await callCli([...words.slice(0, -1), 'damaged/spec.json/x.jsonl'], { cwd: folder });
    expect([below.code, below.stderr]).toEqual([
      3,
      expect.stringContaining(
        'rescore --out damaged/spec.json/x.jsonl: the folder "damaged/spec.json" cannot',
      ),
    ]);
    rmSync(join(folder, 'damaged/trajectories'), { recursive: true });
    const empty = await callCli(words, { cwd: folder });
    expect([empty.code, empty.stderr]).toEqual([4, expect.stringContaining('let it train a step')]);
  });
});

describe('espalier continue', () => {
  const go = (...words: string[]) => callCli(['continue', 'run', ...words], { cwd: folder });

  it('continues from each turn, the same way twice', async () => {
    const { id, turns } = stored().find(({ split, step }) => split === 'train' && step === 2) ?? {};
    const words = [id ?? '', '--episodes', '6', '--json'];
    const { code, stdout } = await go(...words);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as {
      episodes: number;
      continued: { turn: number; episodes: number }[];
    };
    expect(result.continued.map(({ turn }) => turn)).toEqual(turns?.map(({ index }) => index));
    expect(result.episodes).toBe(6 * (turns?.length ?? 0));
    expect((await go(...words)).stdout).toBe(stdout);
    const newest = await callCli(['continue', 'run@2', ...words], { cwd: folder });
    expect(JSON.parse(newest.stdout)).toEqual({ ...result, model: 'run@2' });
    expect((await go(id ?? '', '--episodes', '6')).stdout).toContain('turn 1: success ');
  });

  it('says which checkpoints a run has', async () => {
    const { code, stderr } = await callCli(['continue', 'run@1', 'train/2/0/0'], { cwd: folder });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('model run@1: the run has no checkpoint of step 1; it has 2'),
    ]);
  });

  it.each([
    [['train/9/0/0'], 4, 'no trajectories of step 9; there are steps 0..2'],
    [['train/2/0/99'], 4, 'no such trajectory of step 2'],
    [['first'], 2, 'not the id of a trajectory'],
    [['train/2/0/0', '--turns', '1,x'], 2, 'expected turns with commas'],
    [['train/2/0/0', '--turns', '50'], 2, 'it has no turn 50'],
    [['train/2/0/0', '--set', 'environment={use: frozen-lake}'], 3, 'another state came up at turn 1'],
  ] as const)('refuses %j with %i', async (words, code, message) => {
    const result = await go(...words);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
