/** @file `npm run results` from the outside: two seeds, stopped and gone on with, and never repeated. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMetrics } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSprout } from '../support/sprout.js';
import type { EntryResult } from '../../tools/results/src/collect/result.js';

/** The built program; `npm run build` makes it. */
const main = fileURLToPath(new URL('../../tools/results/dist/main.js', import.meta.url));
let folder = '';

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the tool; stops it once its messages match `stopAt`. */
function results(words: readonly string[], stopAt?: RegExp): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words, '--threads', '1'], { cwd: folder });
    let stdout = '';
    let stderr = '';
    let isAsked = false;
    child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (isAsked || stopAt?.test(stderr) !== true) return;
      isAsked = child.kill('SIGINT');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const config = (learningRate: string): void =>
  writeFileSync(
    join(folder, 'run.yaml'),
    [
      'environment: { use: bandit }',
      'algorithm: { use: grpo }',
      'model: { path: sprout }',
      `optimizer: { learningRate: ${learningRate} }`,
      'rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 24 }',
      'validation: { every: 4, episodes: 8 }',
    ].join('\n'),
  );
const matrix = ['--matrix', 'matrix.yaml', '--out', 'runs', '--docs', 'docs'];
const seedsIn = (stdout: string) =>
  (JSON.parse(stdout) as EntryResult[]).flatMap(({ seeds }) =>
    seeds.map(({ seed, attempts }) => [seed, attempts]),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-results-'));
  await makeSprout(folder);
  config('1e-4');
  writeFileSync(
    join(folder, 'matrix.yaml'),
    [
      'entries:',
      '  - { name: small, title: Small, config: run.yaml, set: [steps=8], seeds: 2, minutes: 5, bar: { gain: 0.9 }, samples: true }',
      '  - { name: other, title: Other, config: run.yaml, set: [steps=8], seeds: 1, minutes: 5 }',
      'pairs: [{ name: both, title: Both, entries: [small, other] }]',
    ].join('\n'),
  );
});
afterAll(() => removeFolder(folder));

describe('results', () => {
  it('stops on request, goes on where it was, and repeats nothing', { timeout: 240_000 }, async () => {
    const stopped = await results([...matrix, '--only', 'small'], /small seed 1: step 5 of 8/);
    expect([stopped.code, stopped.stderr]).toEqual([
      75,
      expect.stringContaining('0 finished, 2 stopped, 0 failed'),
    ]);
    const listed = await results([...matrix, '--list', '--json']);
    const states = (JSON.parse(listed.stdout) as { state: string }[]).map(({ state }) => state);
    expect(states).toEqual(['interrupted', 'absent', 'absent']);

    const whole = await results([...matrix, '--only', 'small', '--json']);
    expect([whole.code, seedsIn(whole.stdout)], whole.stderr).toEqual([
      0,
      [
        [1, 2],
        [2, 1],
      ],
    ]);
    const steps = readMetrics(join(folder, 'runs/small/seed-1/metrics.jsonl'))
      .filter(({ values }) => 'rollout/success_rate' in values)
      .map(({ step }) => step);
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    const again = await results([...matrix, '--only', 'small', '--json']);
    expect(again.stderr).toContain('2 runs, 2 finished already, 0 to go');
    expect([again.code, again.stdout]).toEqual([0, whole.stdout]);
  });

  it('trains the others where a model cannot be made', { timeout: 60_000 }, async () => {
    const entry = '{ title: Any, config: run.yaml, set: [steps=8], minutes: 5, ';
    writeFileSync(
      join(folder, 'broken.yaml'),
      [
        'models:',
        '  - { name: absent, title: Absent, script: absent.mjs }',
        '  - { name: taught, title: Taught, from: absent, warmStart: absent.yaml }',
        'entries:',
        `  - ${entry}name: lost, seeds: 2, model: taught }`,
        `  - ${entry}name: other, seeds: 1 }`,
      ].join('\n'),
    );
    const words = ['--matrix', 'broken.yaml', '--out', 'runs', '--docs', 'docs-broken', '--json'];
    const { code, stdout, stderr } = await results(words);
    expect(stderr).toContain('absent: failed (exit 1)');
    expect(stderr).toContain('left out, as their model could not be made or measured: lost');
    expect(stderr).toContain('1 finished, 0 stopped, 2 failed');
    expect(code).not.toBe(0);
    expect((JSON.parse(stdout) as EntryResult[]).map(({ name }) => name)).toEqual(['other']);
  });

  it('reports costs, gains, samples and the state of the bar', () => {
    const [seed] = (JSON.parse(readFileSync(join(folder, 'docs/small.json'), 'utf8')) as EntryResult).seeds;
    expect(seed).toMatchObject({ seed: 1, outcome: 'finished', iterations: 8, states: 8 });
    expect(seed?.validations.map(({ step }) => step)).toEqual([0, 4, 8]);
    expect(seed?.samples?.map(({ step, state }) => [step, state])).toEqual([
      [0, 0],
      [0, 1],
      [8, 0],
      [8, 1],
    ]);
    expect(seed?.sampledTokens).toBeGreaterThan(8 * 8 * 5);
    expect(seed?.command).toBe('npm run cli -- train run.yaml --set seed=1 --set steps=8');
    const page = readFileSync(join(folder, 'docs/README.md'), 'utf8');
    expect(page).toContain('Not run yet: `other`.');
    expect(page).toContain('reproduce: `npm run results -- --matrix matrix.yaml --only small --seeds 2`');
    expect(page).toContain('To reproduce everything: `npm run results -- --matrix matrix.yaml`');
    expect(page).toContain('| 0 of 2 |');
    expect(existsSync(join(folder, 'docs/both.svg'))).toBe(false);
  });

  it('shows fewer seeds than asked, and says so', async () => {
    const { code } = await results([...matrix, '--only', 'small', '--seeds', '3', '--report']);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'docs/README.md'), 'utf8')).toContain('Only 2 of 3 seeds have been run');
  });

  it('overlays two entries with a test between them', { timeout: 120_000 }, async () => {
    const early = await results([...matrix, '--overlay', 'small,other']);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('reported are small')]);
    expect((await results([...matrix, '--only', 'other'])).code).toBe(0);
    const { code, stdout } = await results([...matrix, '--overlay', 'small,other']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/`other` minus `small`: .* there is no test\./),
    ]);
    const svg = readFileSync(join(folder, 'docs/overlay-small-other.svg'), 'utf8');
    expect(svg).toContain('seed 1');
    expect(readFileSync(join(folder, 'docs/README.md'), 'utf8')).toContain('`other` minus `small`');
  });

  it('keeps the reports of another matrix apart unless told where', async () => {
    const { code } = await results(['--matrix', 'matrix.yaml', '--report']);
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'docs', 'results-matrix', 'README.md'))).toBe(true);
    expect(existsSync(join(folder, 'docs/results'))).toBe(false);
  });

  it('refuses an entry whose start is not validated', async () => {
    const entry =
      "{ name: blind, title: Blind, config: run.yaml, set: ['validation.atStart=false'], seeds: 1, minutes: 1 }";
    writeFileSync(join(folder, 'blind.yaml'), `entries: [${entry}]`);
    const { code, stderr } = await results(['--matrix', 'blind.yaml']);
    expect(stderr).toContain('run entry blind: run.yaml has validation.atStart: false');
    expect([code, existsSync(join(folder, 'runs/results-blind'))]).toEqual([3, false]);
  });

  it('refuses to pass a run off as one of other settings', { timeout: 60_000 }, async () => {
    config('2e-4');
    const { code, stderr } = await results([...matrix, '--only', 'small', '--seeds', '1']);
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/optimizer\.learningRate was 0\.0001, now 0\.0002/),
    ]);
  });

  it.each([
    [2, ['--only', 'smal'], /no such entry; entries are small, other/],
    [2, ['--seeds', '0'], /Expected an integer ≥ 1/],
    [3, ['--matrix', 'run.yaml'], /read run\.yaml: Unrecognized keys: "environment"/],
    [3, ['--matrix', 'absent.yaml'], /no such file/],
  ])('ends with %d for %j', async (expected, words, message) => {
    const { code, stderr } = await results([...matrix, ...words, '--list']);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
  });
});
