// npm run paper: writes docs/paper.md from the runs of the paper's recipes. Those of this machine are in runs/sweeps; those of
// others are in docs/paper/runs, one archive for each recipe, and are unpacked first where this machine has none of that name, so
// that `espalier sweep` does not train them again. With --keep, the runs that have ended here are added to the archives (all
// that a report reads of them, without checkpoints and trajectories), and the page is made from the archives alone, as for others.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root, run } from './steps.mjs';

/** The recipes whose claims are the paper's; the others have reports of their own. */
const recipes = [
  'actions-per-turn',
  'asymmetric',
  'filter',
  'online-k',
  'prompt-diversity',
  'starpo',
  'thinking',
];
/** What a report reads of a run's folder. */
const parts = ['spec.json', 'origin.json', 'attempts.json', 'events.jsonl', 'metrics.jsonl', 'validation'];

const words = process.argv.slice(2);
const unknown = words.find((word) => word !== '--keep');
if (unknown !== undefined) {
  console.error(
    `paper ${unknown}: no such option; there is --keep, which adds the runs that have ended here`,
  );
  process.exit(2);
}
if (install() !== 0 || build() !== 0) process.exit(1);
const { outcomeOf } = await import('../libs/sweep/dist/index.js');

for (const recipe of recipes) unpackMissing(recipe, root);
const isKept = words.includes('--keep');
if (isKept) for (const recipe of recipes) pack(recipe);
const folder = isKept ? unpackAll() : root;
const files = recipes.map((recipe) => join('config', 'recipes', `${recipe}.yaml`));
const report = [
  'report',
  ...files,
  '--brief',
  '--out',
  join('docs', 'paper.md'),
  '--title',
  'The claims of the paper',
];
// the page names its commands as a user of the repository types them
const env = { ...process.env, npm_lifecycle_event: 'cli' };
const code = run(process.execPath, [join(root, 'tools', 'cli.mjs'), ...report], { cwd: folder, env });
if (isKept) {
  if (code === 0) cpSync(join(folder, 'docs'), join(root, 'docs'), { recursive: true });
  rmSync(folder, { recursive: true });
}
process.exit(code);

/** A folder with the recipes and the archived runs, and nothing else. */
function unpackAll() {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-paper-'));
  cpSync(join(root, 'config'), join(folder, 'config'), { recursive: true });
  for (const recipe of recipes) unpackMissing(recipe, folder);
  return folder;
}

/** Adds the archived runs of a recipe to the folder of its sweep; one that was begun there stays. */
function unpackMissing(recipe, folder) {
  const archive = archiveOf(recipe);
  if (!existsSync(archive)) return;
  const sweep = sweepOf(recipe, folder);
  mkdirSync(sweep, { recursive: true });
  const unpacked = mkdtempSync(join(sweep, '.unpacked-'));
  try {
    tar('-xzf', archive, '-C', unpacked);
    const missing = readdirSync(unpacked).filter((name) => !existsSync(join(sweep, name)));
    for (const name of missing) renameSync(join(unpacked, name), join(sweep, name));
    if (missing.length > 0 && folder === root)
      console.log(`${recipe}: ${missing.length / 2} runs taken from ${archive}`);
  } finally {
    rmSync(unpacked, { recursive: true });
  }
}

/** Writes the archive of a recipe: every run of its sweep that has ended. */
function pack(recipe) {
  const sweep = sweepOf(recipe, root);
  const ended = (existsSync(sweep) ? readdirSync(sweep) : []).filter(
    (name) => existsSync(join(sweep, `${name}.request.json`)) && isOver(join(sweep, name)),
  );
  if (ended.length === 0) return;
  const kept = mkdtempSync(join(sweep, '.kept-'));
  for (const name of ended) keepRun(sweep, name, kept);
  mkdirSync(join(root, 'docs', 'paper', 'runs'), { recursive: true });
  const archive = archiveOf(recipe);
  tar('-czf', `${archive}.new`, '-C', kept, ...readdirSync(kept).sort());
  rmSync(kept, { recursive: true });
  renameSync(`${archive}.new`, archive);
  console.log(`${recipe}: ${ended.length} runs kept in ${archive}`);
}

/** Copies what a report reads of a run. Events of checkpoints are left out, as the checkpoints are. */
function keepRun(sweep, name, kept) {
  cpSync(join(sweep, `${name}.request.json`), join(kept, `${name}.request.json`));
  for (const part of parts) {
    const from = join(sweep, name, part);
    if (existsSync(from)) cpSync(from, join(kept, name, part), { recursive: true });
  }
  const events = join(kept, name, 'events.jsonl');
  const lines = readFileSync(events, 'utf8').split('\n');
  writeFileSync(events, lines.filter((line) => !line.startsWith('{"kind":"checkpoint"')).join('\n'));
}

function archiveOf(recipe) {
  return join(root, 'docs', 'paper', 'runs', `${recipe}.tar.gz`);
}

function sweepOf(recipe, folder) {
  return join(folder, 'runs', 'sweeps', recipe);
}

function isOver(folder) {
  return ['finished', 'collapsed', 'no-signal'].includes(outcomeOf(folder));
}

function tar(...args) {
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status === 0) return;
  console.error(`paper: tar ${args.join(' ')}: ${stderr.trim()}`);
  process.exit(1);
}
