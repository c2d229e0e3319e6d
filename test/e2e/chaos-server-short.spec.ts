import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../tools/chaos/dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-chaos-server-'));
afterAll(() => removeFolder(folder));

interface Report {
  readonly campaign: string;
  readonly faults: readonly { readonly fault: string; readonly struck: number }[];
  readonly runs: number;
  readonly equalRuns: number;
  readonly failures: readonly unknown[];
  readonly conflicts: number;
  readonly leftOut?: string;
}

const chaos = (words: readonly string[]): Promise<{ code: number | null; stderr: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
    child.on('close', (code) => resolve({ code, stderr }));
  });

describe('npm run chaos -- --only server --short', () => {
  it('strikes server, worker, trainer, database, disks and network twice each, and loses nothing', async () => {
    const file = join(folder, 'chaos.json');
    const { code, stderr } = await chaos([
      '--only',
      'server',
      '--short',
      '--folder',
      join(folder, 'work'),
      '--json',
      file,
    ]);
    // the last lines say what went wrong
    expect([code, code === 0 ? '' : stderr.slice(-2000)]).toEqual([0, '']);
    const reports = JSON.parse(readFileSync(file, 'utf8')) as Report[];
    // what this machine cannot do is told by name; where everything is tested, nothing may be left out
    if (process.env['CI'] !== undefined)
      expect(reports.filter(({ leftOut }) => leftOut !== undefined)).toEqual([]);
    for (const { runs, equalRuns, failures, conflicts, leftOut, faults } of reports) {
      if (leftOut !== undefined) continue;
      expect(runs).toBeGreaterThan(0);
      expect([equalRuns, failures, conflicts]).toEqual([runs, [], 0]);
      // a strike counts when it was seen that work went on during the fault
      for (const { fault, struck } of faults) expect([fault, struck]).toEqual([fault, 2]);
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
