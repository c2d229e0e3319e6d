import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.js';
import { makeSprout } from '../support/sprout.js';

const main = fileURLToPath(new URL('../../tools/chaos/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-chaos-server-'));
afterAll(() => removeFolder(folder));

interface Report {
  readonly campaign: string;
  readonly faults: readonly { readonly fault: string; readonly injections: number }[];
  readonly runs: number;
  readonly equalRuns: number;
  readonly failures: readonly unknown[];
  readonly conflicts: number;
  readonly skipped?: string;
}

const chaos = (words: readonly string[]): Promise<{ code: number | null; stderr: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('close', (code) => resolve({ code, stderr }));
  });

/** A kill, a silence and a full disk; other specs of this folder kill trainers, workers and servers one by one. */
const few = ['server-server', 'server-network', 'server-disk-worker'];

describe('npm run chaos -- --only server', () => {
  const times = isLong ? 2 : 1;
  it(`injects ${isLong ? 'all faults' : few.join(', ')} ${times} × each, and loses nothing`, async () => {
    const file = join(folder, 'chaos.json');
    await makeSprout(join(folder, 'work/models'));
    const { code, stderr } = await chaos([
      '--only',
      ...(isLong ? ['server', '--short'] : [few.join(), '--mixed', '--kills', '1']),
      '--folder',
      join(folder, 'work'),
      '--json',
      file,
    ]);
    // the last lines name the failure
    expect([code, code === 0 ? '' : stderr.slice(-2000)]).toEqual([0, '']);
    const reports = JSON.parse(readFileSync(file, 'utf8')) as Report[];
    // a machine may lack what a fault needs; CI must skip nothing
    if (process.env['CI'] !== undefined)
      expect(reports.filter(({ skipped }) => skipped !== undefined)).toEqual([]);
    for (const { runs, equalRuns, failures, conflicts, skipped, faults } of reports) {
      if (skipped !== undefined) continue;
      expect(runs).toBeGreaterThan(0);
      expect([equalRuns, failures, conflicts]).toEqual([runs, [], 0]);
      // an injection counts only when training was seen to continue
      for (const { fault, injections } of faults) expect([fault, injections]).toEqual([fault, times]);
    }
  }, 900_000);

  it.each([
    ['--only', 'weather'],
    ['--only', ''],
    ['--minutes', 'x'],
  ])('refuses %s "%s"', async (...words) => {
    const { code, stderr } = await chaos(words);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });
});
