import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile } from '@espalier/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startUp, type UpProcess } from '../support/start-up.js';

const weights = 'checkpoints/step-000024/policy/model.safetensors';

let up: UpProcess;
let config: string;
let folder: string;
beforeAll(async () => {
  up = await startUp();
  config = join(up.folder, 'spec.yaml');
  folder = join(up.folder, 'plain');
  writeFileSync(config, JSON.stringify(sproutSpec(await makeSprout(up.folder))));
  expect((await callCli(['train', config, '--out', folder])).code).toBe(0);
}, 120_000);
afterAll(() => up.close(), 120_000);

describe('a run of a server beside one of `espalier train`', () => {
  it('paused and resumed ends with the same weights', async () => {
    const { id } = await up.json<{ id: string }>('run', 'create', config, '--name', 'paused');
    const reached = new AbortController();
    for await (const { metrics } of up.client.follow(id, { signal: reached.signal }))
      if (metrics.steps.some((step) => step >= 3)) break;
    const pause = await up.cli('run', 'pause', 'paused', '--wait');
    expect([pause.code, pause.stdout, pause.stderr]).toEqual([
      0,
      `run ${id}  paused  paused\n`,
      expect.stringMatching(/^(pausing\n)?(step .*\n)*paused\n$/),
    ]);
    expect((await up.cli('run', 'watch', 'paused')).code).toBe(75);
    const half = await up.json<{ step: number }>('run', 'show', 'paused');
    expect(half).toMatchObject({ state: 'paused' });
    expect(half.step).toBeLessThan(24);
    const resume = await up.cli('run', 'resume', 'paused', '--wait');
    expect([resume.code, resume.stdout]).toEqual([0, `run ${id}  paused  running\n`]);
    expect((await up.cli('run', 'watch', 'paused')).code).toBe(0);
    const { attempts } = await up.json<{ attempts: unknown[] }>('run', 'show', 'paused');
    expect(attempts).toMatchObject([{ exitCode: 75 }, { exitCode: 0, step: 24 }]);
    const files = await up.client.artifacts.list(id, weights);
    expect(files.map(({ sha256 }) => sha256)).toEqual([hashFile(join(folder, weights))]);
  }, 180_000);

  it('has the same figures when that one is imported and both are compared', async () => {
    const imported = await up.json<{ runId: string; files: number }>(
      'run',
      'import',
      folder,
      '--name',
      'brought',
    );
    expect(imported.files).toBeGreaterThan(10);
    expect(await up.json('run', 'show', 'brought')).toMatchObject({
      imported: true,
      state: 'finished',
      step: 24,
    });
    const compared = await up.json<{
      differences: { path: string }[];
      metrics: { name: string; runs: { count: number; last: number }[] }[];
    }>('run', 'compare', 'paused', 'brought');
    expect(compared.differences.map(({ path }) => path).filter((path) => path !== 'name')).toEqual([]);
    for (const name of ['rollout/success_rate', 'rollout/entropy', 'validation/success_rate']) {
      const [left, right] = compared.metrics.find((metric) => metric.name === name)?.runs ?? [];
      expect([name, left?.count, left?.last]).toEqual([name, right?.count, right?.last]);
    }
    const said = (await up.cli('run', 'compare', 'paused', 'brought')).stdout;
    expect(said).toMatch(/rollout\/success_rate +(\S+ \(\S+\)) +\1/);
    const refused = await up.cli('run', 'resume', 'brought');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('run.not_possible')]);
  }, 60_000);
});
