#!/usr/bin/env node
/** @file `npm run fuzz`: many mutated inputs per target; each that breaks a rule is saved and printed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveWholeFile } from '@espalier/files';
import { Command, InvalidArgumentError } from 'commander';
import { type FuzzFailure, type FuzzReport, isClean, maxGrowthBytes } from './tally.js';
import { runNamed, targetNames } from './targets.js';

const program = new Command('fuzz')
  .description(
    'Throws mutated input at everything that reads untrusted bytes, and hostile actions at environments; exit code 1 when a promise breaks.',
  )
  .option(
    '--only <names>',
    `comma-separated targets of ${targetNames.join(', ')}; env is all environments`,
    targetNames.join(','),
  )
  .option('--inputs <n>', 'inputs per target', parseCount, 1_000_000)
  .option('--from <n>', 'number of the first input', parseCount, 0)
  .option('--seed <n>', 'seed of the inputs', parseCount, 0)
  .option('--repro <folder>', 'folder for inputs that break a rule', '.cache/fuzz')
  .option('--json <file>', 'write the reports as JSON');
// an invalid command line exits with 2, as in `espalier`
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
program.parse();
const flags = program.opts<{
  only: string;
  inputs: number;
  from: number;
  seed: number;
  repro: string;
  json?: string;
}>();

const chosen = flags.only
  .split(',')
  .filter((name) => name !== '')
  .flatMap((name) => (name === 'env' ? targetNames.filter((target) => target.startsWith('env/')) : name));
const unknown = chosen.find((name) => !targetNames.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`fuzz --only: unknown target "${unknown}"; targets are ${targetNames.join(', ')}\n`);
  process.exit(2);
}
const reports: FuzzReport[] = [];
for (const name of chosen) {
  const { seed, from, inputs } = flags;
  const onFailure = (failure: FuzzFailure): void => saveFailure(name, failure);
  const onProgress = (done: number): void => {
    if (done % 100_000 === 0) process.stderr.write(`${name}: ${done} of ${inputs}\n`);
  };
  const report = await runNamed(name, { seed, from, inputs, onFailure, onProgress });
  reports.push(report);
  process.stdout.write(`${describeReport(report)}\n`);
  if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(reports, null, 2)}\n`);
}
process.exitCode = reports.every(isClean) ? 0 : 1;

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError('Expected an integer ≥ 0.');
}

function saveFailure(name: string, { index, input, finding, again }: FuzzFailure): void {
  mkdirSync(flags.repro, { recursive: true });
  const file = join(flags.repro, `${name.replace('/', '-')}-${flags.seed}-${index}.bin`);
  const repeat = again ?? { from: index, inputs: 1 };
  writeFileSync(file, input);
  const [first = ''] = finding.split('\n');
  process.stderr.write(
    `${name} input ${index}: ${first}\n  saved as ${file}; again: npm run fuzz -- --only ${name} --seed ${flags.seed} --from ${repeat.from} --inputs ${repeat.inputs}\n`,
  );
  if (flags.inputs === repeat.inputs) process.stderr.write(`${finding}\n`);
}

function describeReport(report: FuzzReport): string {
  const { target, inputs, accepted, refused, failures, slowestMs, growthBytes, seconds, cpuSeconds } = report;
  const growth = `${(growthBytes / 2 ** 20).toFixed(1)} MiB kept${growthBytes > maxGrowthBytes ? ', too much' : ''}`;
  return `${target}: ${inputs} inputs, ${accepted} ${target.startsWith('env/') ? 'valid' : 'read'}, ${refused} refused, ${failures} broke a rule; slowest ${slowestMs} ms, ${growth}; ${cpuSeconds} s of processor time in ${seconds} s`;
}
