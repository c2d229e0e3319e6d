/** @file Several models in several environments in one command, killed and gone on with. */
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { isLong } from '../support/long.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

interface Table {
  readonly columns: readonly { label: string; states: number }[];
  readonly entries: readonly {
    name: string;
    kind: string;
    trainedOn: string[];
    cells: { column: string; episodes: number; error?: string; success?: { value: number } }[];
  }[];
  readonly tests: readonly { first: string; second: string; column: string; adjusted: number }[];
}

let folder = '';
const budget = 'rollout: { promptsPerStep: 2, groupSize: 2, maxTurns: 2, maxResponseTokens: 8 }';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-eval-'));
  writeTinyModel(join(folder, 'model'));
  writeTinyModel(join(folder, 'other'));
  for (const environment of ['bandit', 'frozen-lake'])
    writeFileSync(
      join(folder, `${environment}.yaml`),
      [
        `environment: { use: ${environment} }`,
        'algorithm: { use: grpo }',
        'model: { path: ./model }',
        'steps: 1',
        budget,
        'validation: { every: 0, episodes: 12 }',
        '',
      ].join('\n'),
    );
  const trained = await callCli(['train', 'bandit.yaml', '--out', 'run', '--set', 'update.maxSkipped=9'], {
    cwd: folder,
  });
  expect([trained.code, trained.stderr]).toEqual([0, expect.any(String)]);
}, 180_000);
afterAll(() => removeFolder(folder));

const configs = ['bandit.yaml', 'frozen-lake.yaml'];
const evaluate = async (...words: string[]) => {
  const { code, stdout, stderr } = await callCli(['eval', ...words], { cwd: folder });
  return { code, stdout, stderr };
};

describe('espalier eval of several models', () => {
  it('puts models and baselines into one table of environments, marks what was trained, and tests', async () => {
    const { stdout, code } = await evaluate('run', 'model', ...configs, '--json');
    expect(code).toBe(0);
    const { columns, entries, tests } = JSON.parse(stdout) as Table;
    expect(columns.map(({ label, states }) => [label, states])).toEqual([
      ['bandit', 12],
      ['frozen-lake', 12],
    ]);
    expect(entries.map(({ name }) => name)).toEqual(['run', 'model', 'constant', 'random', 'oracle']);
    expect(entries.map(({ trainedOn }) => trainedOn)).toEqual([['bandit'], [], [], [], []]);
    for (const { cells } of entries) for (const { episodes } of cells) expect(episodes).toBe(12);
    const oracle = entries.at(-1)?.cells.map(({ success }) => success?.value ?? 0) ?? [];
    expect(Math.min(...oracle)).toBeGreaterThan(0.5);
    expect(
      tests.filter(({ column }) => column === 'bandit').map(({ first, second }) => `${first} ${second}`),
    ).toEqual(['run model', 'run constant', 'run random', 'model constant', 'model random']);
    expect(tests).toHaveLength(10);
  }, 240_000);

  it('measures checkpoints by their steps, and an environment once, however its runs train', async () => {
    cpSync(join(folder, 'run'), join(folder, 'faster'), { recursive: true });
    const file = join(folder, 'faster/spec.json');
    const spec = JSON.parse(readFileSync(file, 'utf8')) as Record<'rollout' | 'validation', object>;
    const rollout = { ...spec.rollout, ahead: 1, temperature: 0.7, tasks: { count: 8, choose: 'in-turn' } };
    writeFileSync(
      file,
      JSON.stringify({ ...spec, rollout, validation: { ...spec.validation, atStart: false } }),
    );
    const words = ['run@1', 'run', 'faster@1', '--episodes', '4', '--no-baselines', '--json'];
    const { stdout, code, stderr } = await evaluate(...words);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const { columns, entries } = JSON.parse(stdout) as Table;
    expect(columns).toEqual([{ label: 'bandit', environment: 'bandit', states: 4 }]);
    expect(entries.map(({ name, trainedOn }) => [name, trainedOn])).toEqual([
      ['run@1', ['bandit']],
      ['run', ['bandit']],
      ['faster@1', ['bandit']],
    ]);
    const [first, ...others] = entries.map(({ cells }) => cells);
    expect(others).toEqual([first, first]);
    writeFileSync(file, JSON.stringify({ ...spec, seed: 7 }));
    const seeds = await evaluate('run', 'faster', 'model', '--episodes', '4', '--no-baselines');
    expect(seeds.stdout).toMatch(/^ {2}run \(seeds 0, 7\) +[\d.]+ % \[.*\], each [\d.]+ % to [\d.]+ % \*$/m);
    expect((await evaluate('run@9')).stderr).toContain('the run has no checkpoint of step 9; it has 1');
  }, 120_000);

  it('prints the table, chances of k episodes and probes, and leaves the baselines out when told', async () => {
    const { stdout, code } = await evaluate(
      'run',
      '--episodes',
      '4',
      '--draws',
      '2',
      '--probes',
      '--no-baselines',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^success on 4 states of validation, 2 episodes each/);
    expect(stdout).toMatch(/run +[\d.]+ % \[.+\] \*/);
    expect(stdout).toContain('pass@k / pass^k for k = 2');
    for (const probe of ['prompt swap', 'repeated phrase', 'constant action'])
      expect(stdout).toContain(`run: ${probe}`);
    expect(stdout).not.toContain('random');
  }, 240_000);

  it('repeats a phrase with all that the rewards pay for it', async () => {
    const words = ['--episodes', '4', '--probes', '--no-baselines', '--json'];
    const long = ['--set', 'rollout.maxResponseTokens=64'];
    const { stdout, code } = await evaluate('seedling', 'bandit.yaml', ...words, ...long);
    expect(code).toBe(0);
    const { entries } = JSON.parse(stdout) as {
      entries: { name: string; cells: { formatShare: number }[] }[];
    };
    const shares = new Map(entries.map(({ name, cells }) => [name, cells[0]?.formatShare]));
    expect([shares.get('seedling'), shares.get('seedling: repeated phrase')]).toEqual([1, 1]);
  }, 120_000);

  if (isLong)
    it('goes on after a kill with what it has kept, and ends as if nothing had happened', async () => {
      const words = ['model', ...configs, '--episodes', '300', '--no-baselines', '--json'];
      const kept = join(folder, 'kept.jsonl');
      const lines = (): number => (existsSync(kept) ? readFileSync(kept, 'utf8').split('\n').length - 1 : 0);
      const killer = new AbortController();
      const killed = runCli(['eval', ...words, '--keep', kept], { cwd: folder, signal: killer.signal });
      await waitFor('two lines are kept', () => lines() >= 2);
      killer.abort('SIGKILL');
      expect((await killed).code).not.toBe(0);
      const before = readFileSync(kept, 'utf8').split('\n').slice(0, 2);
      const resumed = await evaluate(...words, '--keep', kept);
      const whole = await evaluate(...words, '--draws', '1');
      expect([resumed.code, whole.code]).toEqual([0, 0]);
      expect(readFileSync(kept, 'utf8').split('\n').slice(0, 2)).toEqual(before);
      expect(JSON.parse(resumed.stdout)).toEqual(JSON.parse(whole.stdout));
      const again = lines();
      expect((await evaluate(...words, '--keep', kept)).stdout).toBe(resumed.stdout);
      expect(lines()).toBe(again);
      const other = await evaluate('other', ...configs, '--episodes', '300', '--keep', kept);
      expect([other.code, other.stderr]).toEqual([
        2,
        expect.stringContaining('it was begun with other models'),
      ]);
    }, 300_000);

  it('names a word that is no model, in place of asking for a configuration', async () => {
    const { code, stderr } = await evaluate('sedling');
    expect([code, stderr]).toEqual([4, expect.stringContaining('did you mean seedling?')]);
  });

  it.each([
    [['bandit.yaml'], 'names no model'],
    [['model', 'model', 'bandit.yaml'], 'named twice'],
    [['model', 'other'], 'only the folder of a run brings its own configuration'],
    [['model', 'bandit.yaml', '--draws', '0'], '--draws'],
    [['model', 'other', 'bandit.yaml', '--base', 'model'], 'each adapter has its own base'],
  ])(
    'refuses %j',
    async (words, finding) => {
      const { code, stderr, stdout } = await evaluate(...words);
      expect([code, stderr, stdout]).toEqual([2, expect.stringContaining(finding), '']);
    },
    60_000,
  );
});
