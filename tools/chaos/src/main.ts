#!/usr/bin/env node
/**
 * @file `npm run chaos`: kill -9 at random moments, resume, and compare every bit with an uninterrupted run; for plain
 * training, and with `--only server` for the whole control plane.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { saveWholeFile } from '@espalier/files';
import { Command, InvalidArgumentError } from 'commander';
import { type ChaosReport, runChaos } from './chaos.js';
import { wholeLife } from './draw-moments.js';
import type { Stretch } from './life.js';
import type { CampaignReport } from './server/campaign.js';
import { runServerChaos, serverFaults } from './server/campaigns.js';
import { prepareWorkshop } from './workshop.js';

const known = ['ppo', 'grpo', 'starpo-s'];

/** What the few kills of `--short` aim at: one algorithm after the other gets a hand. */
const shortDecks: readonly (readonly Stretch[])[] = [
  ['start-up', 'update', 'checkpoint'],
  ['rollout', 'checkpoint'],
];

const program = new Command('chaos')
  .description(
    'Kills training processes at random moments (kill -9), resumes them, and compares weights, moments, metrics\n' +
      'and trajectories with those of an uninterrupted run. Exit code 1 when anything differs.',
  )
  .option(
    '--only <prefixes>',
    `what to strike, comma-separated beginnings of: train, ${serverFaults.map(({ name }) => name).join(', ')}`,
    'train',
  )
  .option('--kills <n>', 'processes to kill per algorithm, or how often each fault strikes', parseCount, 50)
  .option('--algorithm <names>', `comma-separated, of ${known.join(', ')}`, 'ppo,starpo-s')
  .option('--seed <n>', 'another seed draws other moments', parseCount, 0)
  .option(
    '--short',
    'three kills for the first algorithm, two for the second, and so on; of faults five each, mixed',
  )
  .option('--minutes <n>', 'longest time for each fault of the server', parseCount, 600)
  .option('--mixed', 'strike with all faults in turn, instead of one after the other')
  .option(
    '--folder <path>',
    'where to work; kept afterwards, and its model used again (default: a temporary one)',
  )
  .option('--json <file>', 'write the reports as JSON');
// a wrong command line is exit code 2, as in `espalier`
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
  process.stderr.write(`chaos --algorithm: unknown "${unknown ?? ''}"; algorithms are ${known.join(', ')}\n`);
  process.exit(2);
}

const names = ['train', ...serverFaults.map(({ name }) => name)];
const wanted = flags.only.split(',').filter((prefix) => prefix !== '');
const lost = wanted.find((prefix) => !names.some((name) => name.startsWith(prefix)));
if (lost !== undefined || wanted.length === 0) {
  process.stderr.write(`chaos --only: nothing begins with "${lost ?? ''}"; there are ${names.join(', ')}\n`);
  process.exit(2);
}
const chosen = names.filter((name) => wanted.some((prefix) => name.startsWith(prefix)));

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError('Give a whole number of at least 0.');
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = resolve(flags.folder ?? mkdtempSync(join(tmpdir(), 'espalier-chaos-')));
const reports: (ChaosReport | CampaignReport)[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  if (chosen.includes('train')) await strikeTraining();
  if (chosen.some((name) => name !== 'train')) await strikeServer();
} catch (error) {
  say(`chaos: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function strikeTraining(): Promise<void> {
  await prepareWorkshop(folder, algorithms);
  for (const [index, algorithm] of algorithms.entries()) {
    const deck = flags.short === true ? (shortDecks[index % shortDecks.length] ?? wholeLife) : wholeLife;
    const kills = flags.short === true ? deck.length : flags.kills;
    const found = await runChaos({ folder, algorithm, kills, deck, seed: flags.seed + index, say });
    reports.push(found);
    say(describe(found));
    const missed = deck.filter((stretch) => found.killsIn[stretch] === 0);
    if (missed.length > 0)
      throw new Error(`${algorithm}: no process died in ${missed.join(', ')}; nothing is shown`);
    for (const { run, differences } of found.failures) say(`  ${run}: ${differences.join('\n    ')}`);
  }
}

async function strikeServer(): Promise<void> {
  const isShort = flags.short === true;
  await runServerChaos({
    folder,
    only: chosen,
    seed: flags.seed,
    minutes: flags.minutes,
    say,
    count: isShort ? 2 : flags.kills,
    isMixed: isShort || flags.mixed === true,
    onReport(found) {
      reports.push(found);
      for (const line of describeCampaign(found)) say(line);
      if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(reports, null, 2)}\n`);
    },
  });
}

function describeCampaign({ campaign, faults, ...found }: CampaignReport): string[] {
  if (found.leftOut !== undefined) return [`${campaign}: ${found.leftOut}`];
  const lines = faults.map(({ fault, struck, notes, recoveryMs }) => {
    const told = Object.entries(notes).map(([note, count]) => `${note} ${count}`);
    const kinds = told.length === 0 ? '' : ` (${told.join(', ')})`;
    return `${fault}: ${struck} times${kinds}, work went on each time; news after ${recoveryMs.median} ms (median), at most ${recoveryMs.max}`;
  });
  return [
    ...lines,
    `${campaign}: ${found.equalRuns} of ${found.runs} runs equal to the undisturbed one in ${found.attempts} attempts and ${found.records} records; ${found.conflicts} devices with two owners; ${found.seconds} s`,
  ];
}

if (flags.json !== undefined) saveWholeFile(flags.json, `${JSON.stringify(reports, null, 2)}\n`);
if (reports.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
if (reports.some((found) => 'conflicts' in found && found.conflicts > 0)) process.exitCode = 1;
if (flags.folder === undefined && process.exitCode !== 1) rmSync(folder, { recursive: true, force: true });
else say(`everything lies in ${folder}`);
// after a failure followers may still be trying to reach a server that is gone
process.exit();

function describe(found: ChaosReport): string {
  const where = Object.entries(found.killsIn).map(([stretch, count]) => `${stretch} ${count}`);
  return [
    `${found.algorithm}: ${found.kills} kills (${where.join(', ')}; ${found.halfCheckpoints} left a half checkpoint)`,
    `${found.equalRuns} of ${found.runs} runs equal to the last bit`,
    `going on after ${found.recoveryMs.median} ms (median; an uninterrupted start takes ${found.plainStartMs} ms), at most ${found.recoveryMs.max}`,
    `steps made again: ${found.stepsRedone.mean.toFixed(2)} per kill, at most ${found.stepsRedone.max}`,
  ].join('; ');
}
