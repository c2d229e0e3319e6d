import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import type { BenchOptions, BenchRow, Skipped } from './row.js';

const runItem = fileURLToPath(new URL('./run-item.js', import.meta.url));

/**
 * Runs an item in its own process; throws `bench.item_failed` when it fails.
 *
 * @param program runs it: given its name, options and the file for its rows
 */
export function runApart(name: string, options: BenchOptions, program = runItem): BenchRow[] | Skipped {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const file = join(folder, 'rows.json');
    const child = spawnSync(process.execPath, [program, name, JSON.stringify(options), file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (child.status !== 0) {
      const ending = child.error?.message ?? child.signal ?? `exit code ${child.status}`;
      throw new AppError(
        'bench.item_failed',
        `bench ${name}: failed with ${ending}; its own words are above`,
      );
    }
    return JSON.parse(readFileSync(file, 'utf8')) as BenchRow[] | Skipped;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
