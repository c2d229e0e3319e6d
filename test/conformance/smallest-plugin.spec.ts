import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig, resolveWarmStartSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const workspace = join(root, 'test/fixtures/smallest-plugin');
const folder = join(workspace, 'plugins/environments/guess');
const registry = await discoverPlugins({ root: workspace });
const guess = registry.get('environment', 'guess');

testEnvironment(guess, { oracleSolves: 1 });
testEnvironment(guess, { params: { highest: 20 } });

describe('docs/learn/tutorial.md', () => {
  const page = readFileSync(join(root, 'docs/learn/tutorial.md'), 'utf8');

  it.each(['index.js', 'package.json', 'guess.spec.js'])('shows the %s that these tests load', (file) => {
    expect(page).toContain(readFileSync(join(folder, file), 'utf8'));
  });

  it('leads to a warm start that resolves, shown in full', () => {
    const file = join(workspace, 'config/warm-start/guess.yaml');
    const shown = readFileSync(join(root, 'docs/use/warm-start.md'), 'utf8');
    expect(shown).toContain(readFileSync(file, 'utf8'));
    const { spec } = resolveWarmStartSpec(loadConfig(file), registry);
    expect(spec.demonstrations[0]?.environment).toEqual({ use: 'guess', highest: 8 });
  });

  it('shows an environment of at most 60 lines', () => {
    expect(readFileSync(join(folder, 'index.js'), 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  });

  it('describes an environment that can be won within its budget', async () => {
    const { maxActions } = guess.limits(guess.params.parse({}));
    for (let state = 0; state < 32; state++) {
      const instance = guess.create(guess.params.parse({}));
      await instance.reset({ state, noise: 0 });
      let done = false;
      for (let turn = 0; turn < maxActions && !done; turn++) {
        const { low, high } = instance.facts!() as { low: number; high: number };
        const middle = String(Math.floor((low + high) / 2));
        expect(instance.oracle!()[0]).toBe(middle); // what a student can see, not the secret
        ({ done } = await instance.step(middle));
      }
      expect(done).toBe(true);
    }
  });
});

describe('the documented way to test a plugin', () => {
  const outside = mkdtempSync(join(tmpdir(), 'espalier-plugin-'));
  afterAll(() => removeFolder(outside));

  it('finds guess.spec.js in a plugin folder of the repository', async () => {
    const clone = join(outside, 'clone');
    cpSync(folder, join(clone, 'plugins/environments/guess'), { recursive: true });
    for (const name of ['vitest.config.ts', 'test/support/shared-folder.ts', 'package.json'])
      cpSync(join(root, name), join(clone, name));
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    const { code, output } = await runVitest(clone, ['plugins/environments/guess']);
    expect([code, output]).toEqual([0, expect.stringMatching(/guess\.spec\.js[^]*1 passed/)]);
  }, 120_000);

  it('tests a package outside the repository and reports an empty state key', async () => {
    const [whole, broken] = ['whole', 'broken'].map((name) => join(outside, 'packages', name)) as [
      string,
      string,
    ];
    mkdirSync(join(outside, 'packages'));
    for (const copy of [whole, broken]) cpSync(folder, copy, { recursive: true });
    const source = readFileSync(join(broken, 'index.js'), 'utf8');
    writeFileSync(join(broken, 'index.js'), source.replace('stateKey: range()', "stateKey: ''"));
    const [good, bad] = await Promise.all([whole, broken].map((place) => runCli(['plugin', 'test', place])));
    expect([good?.code, good?.stdout]).toEqual([0, expect.stringContaining('1 passed')]);
    expect(bad?.code).toBe(5);
    expect(`${bad?.stdout}${bad?.stderr}`).toContain(
      'observation.stateKey, seed 0, after 0 actions is a non-empty string',
    );
  }, 120_000);
});

/** Runs vitest as a user would, without the environment variables of this vitest process. */
function runVitest(cwd: string, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name)),
  );
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...words], {
    cwd,
    env: { ...env, NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
