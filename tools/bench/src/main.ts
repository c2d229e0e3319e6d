#!/usr/bin/env node
/** @file `npm run bench`: runs each item in its own process, writes docs/results/bench.md and, optionally, JSON. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, isAppError } from '@espalier/contracts';
import { requestedThreads } from '@espalier/contracts/values';
import { saveWholeFile } from '@espalier/files';
import { Command, InvalidArgumentError } from 'commander';
import { chooseItems } from './choose-items.js';
import { benchItems } from './items.js';
import { findPeers, type FoundPeers } from './peers/find-peers.js';
import { measurePeers } from './peers/measure-peers.js';
import { listPeerPairs } from './peers/peer-pairs.js';
import { notePriority } from './priority.js';
import { renderReport, type Report } from './report.js';
import { type BenchRow, errorText } from './row.js';
import { runApart } from './run-apart.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** As in `espalier`: invalid command line, unknown item, failed item. */
const exitCodes = { usage: 2, notFound: 4, failed: 5 } as const;

const program = new Command('bench')
  .description(
    'Measures speed and memory relative to a baseline in the same process; writes docs/results/bench.md.',
  )
  .option('--only <names>', 'comma-separated items or prefixes, e.g. train-step/5m,decode', '')
  .option('--json <file>', 'also write the rows as JSON')
  .option(
    '--short',
    'only show that everything runs; figures are rough and docs/results/bench.md is not written',
  )
  .option(
    '--threads <n>',
    'threads of ONNX Runtime',
    parseThreads,
    requestedThreads(process.env) ?? availableParallelism(),
  )
  .option('--smollm2 <folder>', 'SmolLM2-135M-Instruct, as npm run fetch:smollm2 makes it', 'models/smollm2')
  .option(
    '--python <file>',
    'Python with torch, transformers, textarena, gymnasium, gym-sokoban, mlflow, trackio or tensorboard, for items that compare with them',
    'python3',
  )
  .option('--peers <venv>', 'compare with peer programs, run by the Python of this virtual environment')
  .option('--peer-programs <dir>', 'folder of the peer programs; --peers needs it')
  .addHelpText(
    'after',
    `\nItems: ${Object.keys(benchItems).join(', ')}\n
Exit codes: 0 done; 2 the command line cannot be understood; 4 --peers: the environment, a program or a Python
package is absent (reported before anything is measured); 5 an item or a peer failed (the other rows are written).`,
  );
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage));
program.parse();
const flags = program.opts<{
  only: string;
  json?: string;
  short?: boolean;
  threads: number;
  peers?: string;
  peerPrograms?: string;
  smollm2: string;
  python: string;
}>();
const options = {
  short: flags.short === true,
  threads: flags.threads,
  smollm2: resolve(root, flags.smollm2),
  python: flags.python,
};
const say = (text: string): void => void process.stderr.write(text);

if (flags.peers !== undefined && flags.peerPrograms === undefined)
  program.error('error: --peers needs the folder of the peer programs: --peer-programs <dir>');
process.exitCode =
  flags.peers === undefined || flags.peerPrograms === undefined
    ? measureOurs()
    : measureBeside(flags.peers, flags.peerPrograms);

function measureOurs(): number {
  const chosen = choose(Object.keys(benchItems));
  const rows: BenchRow[] = [];
  for (const [index, name] of chosen.entries()) {
    say(`[${index + 1}/${chosen.length}] ${name} … `);
    const begin = Date.now();
    const measured = attempt(() => runApart(name, options), exitCodes.failed);
    if ('skipped' in measured) {
      say(`skipped: ${measured.skipped}\n`);
      continue;
    }
    const found = notePriority(measured);
    for (const row of found) say(`${row.name} ${row.value} ${row.unit} (${besideText(row)}) `);
    say(`[${((Date.now() - begin) / 1000).toFixed(0)} s]\n`);
    rows.push(...found);
  }
  write(rows, { rows });
  return 0;
}

/** Ours and the peers by turns; see docs/results/bench.md. */
function measureBeside(environment: string, folder: string): number {
  const pairs = listPeerPairs(options.short);
  const chosen = new Set(choose([...new Set(pairs.map(({ item }) => item))]));
  const wanted = pairs.filter(({ item }) => chosen.has(item));
  const programs = wanted.map((pair) => pair.program);
  const found: FoundPeers = attempt(() => findPeers(environment, folder, programs), exitCodes.notFound);
  const { rows, ours } = measurePeers(wanted, found, measureItem, say);
  write(rows, {
    rows: ours,
    peers: { rows, versions: { 'onnxruntime-node': runtimeVersion(), ...found.versions } },
  });
  return rows.some(({ error }) => error !== undefined) ? exitCodes.failed : 0;
}

function measureItem(name: string): BenchRow[] {
  const found = runApart(name, options);
  if ('skipped' in found) throw new AppError('bench.item_failed', `bench ${name}: ${found.skipped}`);
  return found;
}

/** The pinned version of the runtime. */
function runtimeVersion(): string {
  const text = readFileSync(join(root, 'libs', 'runtime', 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  return dependencies['onnxruntime-node'] ?? 'of unknown version';
}

function besideText({ ratio, baseline }: BenchRow): string {
  return baseline.value === null ? baseline.name : `${ratio ?? 'no ratio'} × ${baseline.name}`;
}

function write(json: readonly unknown[], report: Report): void {
  if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(json, null, 2)}\n`);
  if (options.short) return;
  const file = join(root, 'docs', 'results', 'bench.md');
  saveWholeFile(file, renderReport(report, readReport(file)));
  say('wrote docs/results/bench.md\n');
}

function parseThreads(text: string): number {
  const threads = Number(text);
  if (Number.isInteger(threads) && threads >= 1) return threads;
  throw new InvalidArgumentError('Expected an integer ≥ 1.');
}

function choose(names: readonly string[]): string[] {
  const choice = chooseItems(flags.only, names);
  if ('chosen' in choice) return choice.chosen;
  say(`bench --only: unknown item "${choice.unknown}"; expected ${names.join(', ')}\n`);
  return process.exit(exitCodes.usage);
}

function attempt<T>(take: () => T, exitCode: number): T {
  try {
    return take();
  } catch (error) {
    if (!isAppError(error)) throw error;
    say(`${errorText(error)}\n`);
    return process.exit(exitCode);
  }
}

function readReport(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
