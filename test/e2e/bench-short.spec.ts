import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentIds } from '../../tools/bench/src/items/environment-ids.js';
import { isLong } from '../support/long.js';

/** The built program; `npm run build` makes it. */
const main = fileURLToPath(new URL('../../tools/bench/dist/main.js', import.meta.url));
const report = fileURLToPath(new URL('../../docs/results/bench.md', import.meta.url));
const environments = fileURLToPath(new URL('../../plugins/environments', import.meta.url));
/** A few, of which most take seconds; `npm run test:long` runs all. */
const quick = ['train-step/5m', 'decode/5m/1', 'env/bandit', 'plan', 'server-anonymous'].join();
const readReport = (): string => (existsSync(report) ? readFileSync(report, 'utf8') : '');
/** Rows of the quick items, and those of the others. */
const quickRows = [
  'train-step/5m',
  'decode/5m/1',
  'env/bandit',
  'env/bandit/episodes',
  'env/bandit/oracle',
  'plan/seconds/bandit-starpo-s',
  'plan/memory/bandit-starpo-s',
  'server-anonymous',
];
const otherRows = [
  'search/webshop',
  'memory/smollm2/warm-start',
  'padding/frozen-lake',
  'env/code-repair/javascript',
  'env/code-repair/python',
  ...environmentIds.flatMap((id) => [`env/${id}`, `env/${id}/episodes`]),
  'levels/sokoban',
  'memory/smollm2/full-recompute',
  'train-step/135m',
  'train-step/135m/memory',
  'train-step/smollm2',
  'memory/seedling',
  'memory/smollm2/lora-recompute',
  'memory/smollm2/lora-echo',
  'memory/smollm2/lora',
  'memory/qwen2.5-0.5b/lora',
  'decode/5m/16',
  'decode/5m/128',
  'decode/135m/1',
  'decode/135m/16',
  'decode-step/135m/16/float32',
  'decode-step/135m/16/int8',
  'prompts/5m/64',
  'iteration',
  'tinker-overhead/named',
  'tinker-overhead/linear',
  'iteration/other',
  'in-flight/8',
  'monitor',
  'monitor/asking',
  'monitor/reading',
  'iteration/collect',
  'iteration/update',
  'iteration/trl-shape',
  'iteration/trl-shape/sample',
  'dashboard/open',
  'dashboard/push',
  'dashboard/overlay',
  'dashboard/events',
  'dashboard/events-open',
  'dashboard/trajectory',
  'dashboard/turning',
  'dashboard/playback',
  'dashboard/side-by-side',
  'dashboard/push-trained',
  'dashboard/token',
  'server-placement',
  'server-placement/health',
  'scale/workers/4',
  'scale/followers/4',
  'scale/values/5e+4',
  'scale/runs/8',
];

function bench(...words: string[]): Promise<{ status: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stderr }));
  });
}

describe('bench --short', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-bench-e2e-'))));
  afterAll(() => removeFolder(folder));

  it(
    `runs ${isLong ? 'every item' : 'a few items'} and writes rows as documented, leaving docs/results/bench.md alone`,
    { timeout: 1_200_000 }, // against what never ends, not against a slow machine
    async () => {
      const before = readReport();
      const file = join(folder, 'rows.json');
      const chosen = isLong ? [] : ['--only', quick];
      const { status, stderr } = await bench('--short', '--json', file, ...chosen);
      expect(status, stderr).toBe(0);
      const rows = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[];
      expect(rows.map(({ name }) => name)).toEqual(
        expect.arrayContaining(isLong ? [...quickRows, ...otherRows] : quickRows),
      );
      for (const row of rows) {
        expect(row).toMatchObject({
          name: expect.any(String),
          value: expect.any(Number),
          unit: expect.any(String),
          baseline: { name: expect.any(String), value: expect.any(Number) },
          ratio: expect.any(Number),
        });
      }
      expect(readReport()).toBe(before);
    },
  );

  it.each([
    ['smollm2/first-token', 'no model at'],
    ['smollm2/decode/16', 'no model at'],
  ])('skips %s where the model is not there, and says so', async (item, finding) => {
    const { status, stderr } = await bench('--short', '--only', item, '--smollm2', join(folder, 'none'));
    expect([status, stderr]).toEqual([0, expect.stringContaining(`${item} … skipped: ${finding}`)]);
  });

  it.each([
    ['smollm2/decode/16', 'torch and transformers'],
    ['textarena/countdown', 'textarena'],
    ['gymnasium/frozen-lake', 'gymnasium'],
    ['gym-sokoban/sokoban', 'gym_sokoban.envs.sokoban_env'],
    ['dashboard-beside/mlflow', 'mlflow'],
  ])('skips %s where Python has no %s, and says so', async (item, packages) => {
    writeFileSync(join(folder, 'config.json'), '{}');
    const words = ['--only', item, '--smollm2', folder, '--python', 'no-such-python'];
    const { status, stderr } = await bench('--short', ...words);
    const said = `skipped: "no-such-python" has no ${packages}; name one that has`;
    expect([status, stderr]).toEqual([0, expect.stringContaining(said)]);
  });

  it('measures every environment that is installed', () => {
    // steps of others to measure, or an item of its own
    const others = ['agent-program', 'code-repair', 'harbor', 'openenv'];
    const installed = readdirSync(environments).filter((id) => !others.includes(id));
    expect([...environmentIds].sort()).toEqual(installed.sort());
  });

  it.each(['0', '1.5', 'two', '-1'])('refuses --threads %s with exit code 2', async (threads) => {
    const { status, stderr } = await bench('--short', `--threads=${threads}`);
    expect(status).toBe(2);
    expect(stderr).toMatch(/Expected an integer ≥ 1/);
  });

  it('refuses an item that does not exist with exit code 2', async () => {
    const { status, stderr } = await bench('--short', '--only', 'decode/7m');
    expect(status).toBe(2);
    expect(stderr).toMatch(/unknown item "decode\/7m"/);
  });
});
