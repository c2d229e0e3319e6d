#!/usr/bin/env node
/** @file `npm run results`: trains the matrix, seed by seed, and writes docs/results. A stopped run resumes with the same command. */
import { isAppError } from '@espalier/contracts';
import { signalledByTerminal } from '@espalier/sweep';
import { Command, InvalidArgumentError } from 'commander';
import { defaultFolders, usualMatrix } from './matrix.js';
import { runMatrix, type ResultsOptions } from './run-matrix.js';

const exits = { usage: 2, invalid: 3, failed: 5, temporary: 75 };

const program = new Command('results')
  .description(
    'Trains every entry of the matrix over several seeds; writes curves, gains and costs to docs/results.',
  )
  .option('--only <names>', 'comma-separated entries or prefixes, in the order to run them', '')
  .option('--seeds <n>', 'seeds per entry (default: those of the matrix)', parseCount)
  .option('--threads <n>', 'most threads of each run (default: all cores)', parseCount)
  .option('--parallel <n>', 'concurrent runs; most efficient with one thread each', parseCount, 1)
  .option('--out <folder>', 'folder of the runs (default: runs/results, or runs/results-<matrix>)')
  .option('--docs <folder>', 'folder of the reports (default: docs/results, or docs/results-<matrix>)')
  .option('--matrix <file>', 'matrix to run', usualMatrix)
  .option('--note <words>', 'what else the machine was doing; stored in the report', '')
  .option('--unreported', 'leave out seeds that have been reported')
  .option('--list', 'list the entries and the state of each seed; run nothing')
  .option('--report', 'write the reports from existing runs; run nothing')
  .option(
    '--overlay <a,b>',
    'draw two reported entries over each other and test their difference; run nothing',
  )
  .option('--json', 'print the results as JSON');
// an invalid command line exits with 2, as in `espalier`
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exits.usage));
program.parse();
type Flags = Omit<ResultsOptions, 'only' | 'overlay' | 'out' | 'docs'> & {
  readonly only: string;
  readonly overlay?: string;
  readonly out?: string;
  readonly docs?: string;
};
const { only, overlay = '', ...flags } = program.opts<Flags>();

const hasTerminal = process.stdin.isTTY;
const controller = new AbortController();
const stop = (name: NodeJS.Signals): void => {
  if (controller.signal.aborted) return;
  process.stderr.write('stopping after the current turns, then saving; the same command resumes\n');
  controller.abort(hasTerminal && name !== 'SIGTERM' ? signalledByTerminal : name);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

try {
  const split = (words: string): string[] => words.split(',').filter((word) => word !== '');
  const options = { ...defaultFolders(flags.matrix), ...flags, only: split(only), overlay: split(overlay) };
  const { stopped, failed } = await runMatrix(options, controller.signal);
  process.exitCode = failed > 0 ? exits.failed : stopped > 0 ? exits.temporary : 0;
} catch (error) {
  if (!isAppError(error)) throw error;
  process.stderr.write(`error ${error.code}: ${error.message}\n`);
  process.exitCode = error.code === 'cli.usage' ? exits.usage : exits.invalid;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('Expected an integer ≥ 1.');
}
