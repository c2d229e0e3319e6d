#!/usr/bin/env node
/**
 * @file `npm run chaos`: kills training processes at random, resumes them, and compares every bit with an uninterrupted
 * run; `--only server` does the same for the whole control plane.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { saveWholeFile } from '@espalier/files';
import { Command, InvalidArgumentError } from 'commander';
import { type ChaosReport, runChaos } from './chaos.js';
import { allPhases } from './kill-points.js';
import type { CampaignReport } from './server/campaign.js';
import { runServerChaos, serverFaults } from './server/campaigns.js';
import { prepareWorkspace } from './workspace.js';

const known = ['ppo', 'grpo', 'starpo-s'];

const program = new Command('chaos')
  .description(
    'Kills training processes at random times (kill -9), resumes them, and compares weights, optimizer moments,\n' +
      'metrics and trajectories with those of an uninterrupted run. Exit code 1 when anything differs.',
  )
  .option(
    '--only <prefixes>',
    `what to test, comma-separated prefixes of: train, ${serverFaults.map(({ name }) => name).join(', ')}`,
    'train',
  )
  .option('--kills <n>', 'kills per algorithm, or injections per fault', parseCount, 50)
  .option('--algorithm <names>', `comma-separated, of ${known.join(', ')}`, 'ppo,starpo-s')
  .option('--seed <n>', 'seed of the kill points', parseCount, 0)
  .option(
    '--short',
    'five kills, with the first algorithm, one in each phase of a step at least; two mixed injections per fault',
  )
  .option('--minutes <n>', 'time limit for each server fault', parseCount, 600)
  .option('--mixed', 'inject all faults in turn instead of separately')
  .option('--folder <path>', 'working folder; kept, and its model reused (default: a temporary folder)')
  .option('--json <file>', 'write the reports as JSON');
// an invalid command line exits with 2, as in `espalier`
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
program.parse();
const flags = program.opts<{
  only: string;
  mixed?: boolean;
  minutes: number;
  kills: number;
  algorithm: string;
  seed: number;
  short?: boolean;
  folder?: string;
  json?: string;
}>();

const algorithms = flags.algorithm.split(',').filter((name) => name !== '');
const unknown = algorithms.find((name) => !known.includes(name));
if (unknown !== undefined || algorithms.length === 0) {
  process.stderr.write(`chaos --algorithm: unknown "${unknown ?? ''}"; expected ${known.join(', ')}\n`);
  process.exit(2);
}

const names = ['train', ...serverFaults.map(({ name }) => name)];
const wanted = flags.only.split(',').filter((prefix) => prefix !== '');
const lost = wanted.find((prefix) => !names.some((name) => name.startsWith(prefix)));
if (lost !== undefined || wanted.length === 0) {
  process.stderr.write(`chaos --only: nothing starts with "${lost ?? ''}"; expected ${names.join(', ')}\n`);
  process.exit(2);
}
const chosen = names.filter((name) => wanted.some((prefix) => name.startsWith(prefix)));

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError('Expected an integer ≥ 0.');
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = resolve(flags.folder ?? mkdtempSync(join(tmpdir(), 'espalier-chaos-')));
const reports: (ChaosReport | CampaignReport)[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  if (chosen.includes('train')) await runTrainingChaos();
  if (chosen.some((name) => name !== 'train')) await runServerCampaigns();
} catch (error) {
  log(`chaos: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function runTrainingChaos(): Promise<void> {
  const isShort = flags.short === true;
  const chosenAlgorithms = isShort ? algorithms.slice(0, 1) : algorithms;
  // a validation is short and seldom: a process that was resumed may end before one is met
  const targets = isShort ? allPhases.filter((phase) => phase !== 'validation') : allPhases;
  const kills = isShort ? 5 : flags.kills;
  await prepareWorkspace(folder, chosenAlgorithms);
  for (const [index, algorithm] of chosenAlgorithms.entries()) {
    const found = await runChaos({
      folder,
      algorithm,
      kills,
      targets,
      seed: flags.seed + index,
      log,
    });
    reports.push(found);
    log(describe(found));
    const missed = targets.filter((phase) => found.killsByPhase[phase] === 0);
    if (missed.length > 0)
      throw new Error(
        `${algorithm}: no process was killed during ${missed.join(', ')}; the experiment is incomplete`,
      );
    for (const { run, differences } of found.failures) log(`  ${run}: ${differences.join('\n    ')}`);
  }
}

async function runServerCampaigns(): Promise<void> {
  const isShort = flags.short === true;
  await runServerChaos({
    folder,
    only: chosen,
    seed: flags.seed,
    minutes: flags.minutes,
    log,
    count: isShort ? 2 : flags.kills,
    isMixed: isShort || flags.mixed === true,
    onReport(found) {
      reports.push(found);
      for (const line of describeCampaign(found)) log(line);
      if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(reports, null, 2)}\n`);
    },
  });
}

function describeCampaign({ campaign, faults, ...found }: CampaignReport): string[] {
  if (found.skipped !== undefined) return [`${campaign}: ${found.skipped}`];
  const lines = faults.map(({ fault, injections, notes, recoveryMs }) => {
    const noted = Object.entries(notes).map(([note, count]) => `${note} ${count}`);
    const kinds = noted.length === 0 ? '' : ` (${noted.join(', ')})`;
    return `${fault}: ${injections} times${kinds}, training continued each time; next record after ${recoveryMs.median} ms (median), at most ${recoveryMs.max}`;
  });
  return [
    ...lines,
    `${campaign}: ${found.equalRuns} of ${found.runs} runs equal the undisturbed one in ${found.attempts} attempts and ${found.records} records; ${found.conflicts} devices with two owners; ${found.seconds} s`,
  ];
}

if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(reports, null, 2)}\n`);
if (reports.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
if (reports.some((found) => 'conflicts' in found && found.conflicts > 0)) process.exitCode = 1;
if (flags.folder === undefined && process.exitCode !== 1) rmSync(folder, { recursive: true, force: true });
else log(`results are in ${folder}`);
// after a failure followers may still be reconnecting to a stopped server
process.exit();

function describe(found: ChaosReport): string {
  const where = Object.entries(found.killsByPhase).map(([phase, count]) => `${phase} ${count}`);
  return [
    `${found.algorithm}: ${found.kills} kills (${where.join(', ')}; ${found.partialCheckpoints} left a partial checkpoint)`,
    `${found.equalRuns} of ${found.runs} runs equal bit for bit`,
    `resumed after ${found.recoveryMs.median} ms (median; a normal start takes ${found.plainStartMs} ms), at most ${found.recoveryMs.max}`,
    `steps repeated: ${found.stepsRepeated.mean.toFixed(2)} per kill, at most ${found.stepsRepeated.max}`,
  ].join('; ');
}
