import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { makeSprout } from '../support/sprout.js';

const main = fileURLToPath(new URL('../../tools/chaos/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-chaos-'));
afterAll(() => removeFolder(folder));

interface Report {
  readonly algorithm: string;
  readonly kills: number;
  readonly killsByPhase: Readonly<Record<string, number>>;
  readonly runs: number;
  readonly equalRuns: number;
  readonly failures: readonly unknown[];
}

describe('npm run chaos -- --short', () => {
  it('kills five processes while they begin, sample, learn and save, and loses nothing', async () => {
    const file = join(folder, 'chaos.json');
    await makeSprout(join(folder, 'work/models'));
    const words = [main, ...(isLong ? ['--kills', '5'] : ['--short'])];
    words.push('--folder', join(folder, 'work'), '--json', file);
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('equals the uninterrupted run')]);
    const reports = JSON.parse(readFileSync(file, 'utf8')) as Report[];
    expect(reports.map(({ algorithm }) => algorithm)).toEqual(isLong ? ['ppo', 'starpo-s'] : ['ppo']);
    for (const { runs, equalRuns, failures } of reports) {
      expect(runs).toBeGreaterThan(0);
      expect([equalRuns, failures]).toEqual([runs, []]);
    }
    const total = (of: (report: Report) => number): number =>
      reports.reduce((sum, report) => sum + of(report), 0);
    expect(total(({ kills }) => kills)).toBeGreaterThanOrEqual(5);
    for (const phase of ['start-up', 'rollout', 'update', 'checkpoint'])
      expect(total(({ killsByPhase }) => killsByPhase[phase] ?? 0)).toBeGreaterThan(0);
  }, 300_000);

  it.each([['--kills', 'x'], ['--algorithm', 'sgd'], ['--unknown']])('refuses %s %s', (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [main, ...words.filter(Boolean)], {
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).not.toBe('');
  });
});
