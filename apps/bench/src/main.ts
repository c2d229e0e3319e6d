#!/usr/bin/env node
/** @file `npm run bench`: runs each item in a process of its own, writes docs/bench.md and, when asked, JSON. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { saveWholeFile } from '@espalier/model';
import { Command, InvalidArgumentError } from 'commander';
import type { BenchOptions } from './bench-item.js';
import { benchItems } from './items.js';
import { renderReport } from './report.js';
import type { BenchRow } from './row.js';

const program = new Command('bench')
  .description('Measures speed and memory beside a baseline taken in the same process; writes docs/bench.md.')
  .option('--only <names>', 'comma-separated items or prefixes, e.g. train-step/5m,decode', '')
  .option('--json <file>', 'also write the rows as JSON')
  .option('--short', 'show that everything runs; figures are rough and docs/bench.md is left alone')
  .option('--threads <n>', 'threads of ONNX Runtime', parseThreads, availableParallelism())
  .addHelpText('after', `\nItems: ${Object.keys(benchItems).join(', ')}`);
// a wrong command line is exit code 2, as in `espalier`
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
program.parse();
const flags = program.opts<{ only: string; json?: string; short?: boolean; threads: number }>();

const chosen = choose(flags.only);
const rows: BenchRow[] = [];
for (const [index, name] of chosen.entries()) {
  process.stderr.write(`[${index + 1}/${chosen.length}] ${name} … `);
  const begin = Date.now();
  const found = runApart(name, { short: flags.short === true, threads: flags.threads });
  for (const row of found)
    process.stderr.write(`${row.name} ${row.value} ${row.unit} (${row.ratio} × ${row.baseline.name}) `);
  process.stderr.write(`[${((Date.now() - begin) / 1000).toFixed(0)} s]\n`);
  rows.push(...found);
}
if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(rows, null, 2)}\n`);
if (flags.short !== true) {
  const file = join(fileURLToPath(new URL('../../..', import.meta.url)), 'docs', 'bench.md');
  saveWholeFile(file, renderReport(rows, readReport(file)));
  process.stderr.write('wrote docs/bench.md\n');
}

function parseThreads(text: string): number {
  const threads = Number(text);
  if (Number.isInteger(threads) && threads >= 1) return threads;
  throw new InvalidArgumentError('Give a whole number of at least 1.');
}

function choose(only: string): string[] {
  const wanted = only.split(',').filter((part) => part !== '');
  const names = Object.keys(benchItems);
  const unknown = wanted.filter(
    (part) => !names.some((name) => name === part || name.startsWith(`${part}/`)),
  );
  if (unknown.length > 0) {
    process.stderr.write(`bench --only: unknown item "${unknown[0]}"; items are ${names.join(', ')}\n`);
    process.exit(2);
  }
  return wanted.length === 0
    ? names
    : names.filter((name) => wanted.some((part) => name === part || name.startsWith(`${part}/`)));
}

function runApart(name: string, options: BenchOptions): BenchRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const file = join(folder, 'rows.json');
    const runner = fileURLToPath(new URL('./run-item.js', import.meta.url));
    const child = spawnSync(process.execPath, [runner, name, JSON.stringify(options), file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (child.status !== 0) {
      process.stderr.write(`bench ${name}: failed with exit code ${child.status ?? child.signal}\n`);
      process.exit(5);
    }
    return JSON.parse(readFileSync(file, 'utf8')) as BenchRow[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
