/** @file The command line in a process of its own, whose memory is its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
const command = join(root, 'apps', 'cli', 'dist', 'main.js');
const reportPeak = new URL('../report-peak.js', import.meta.url).href;

/** Runs `espalier` with these words from the root of the repository; throws `bench.item_failed` when it fails. */
export function espalier(words: readonly string[]): { readonly stdout: string; readonly peakBytes: number } {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const file = join(folder, 'peak');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', reportPeak, command, ...words],
      {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        env: { ...process.env, BENCH_PEAK_FILE: file },
      },
    );
    if (status === 0) return { stdout, peakBytes: Number(readFileSync(file, 'utf8')) };
    throw new AppError(
      'bench.item_failed',
      `bench: espalier ${words[0]} ended with ${status}: ${`${stderr}${stdout}`.trim().slice(-1000)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `--set` for each of these. */
export const overrides = (settings: readonly string[]): string[] =>
  settings.flatMap((setting) => ['--set', setting]);

/** How far a prediction is off. */
export const describeError = (guess: number, real: number): string =>
  `error ${(100 * (guess / real - 1)).toFixed(0)} %`;
