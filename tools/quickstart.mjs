/**
 * From a fresh clone to a trained agent in one command: installs and builds what is missing, then trains the
 * two-armed bandit from the model that ships with Espalier. Further words are passed to `train`.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, root, run } from './steps.mjs';

const config = 'config/runs/bandit-starpo-s.yaml';
const begin = Date.now();

/** Runs one step; what fails ends the quickstart with its exit code. */
function step(name, task) {
  console.log(`── ${name}`);
  const code = task();
  if (code !== 0) process.exit(code);
}

step('install', install);
step('build', () => run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root }));
console.log(
  `── ready after ${Math.round((Date.now() - begin) / 1000)} s; training a two-armed bandit (${config})\n`,
);

// Ctrl-C belongs to the training, which saves before it ends.
process.on('SIGINT', () => undefined);
step('train', () =>
  run(process.execPath, ['apps/cli/dist/main.js', 'train', config, ...process.argv.slice(2)]),
);
const trained = newestRun();
console.log(`
next: read what it says now   npm run cli -- show ${trained}
      measure the model       npm run cli -- eval ${trained}
      play it yourself        npm run cli -- play bandit
      train something harder  npm run cli -- train config/runs/frozen-lake-grpo.yaml`);

/** Folder of the run that was just trained: the one that was asked for, or the one written last. */
function newestRun() {
  const { out } = parseArgs({ options: { out: { type: 'string' } }, strict: false }).values;
  if (typeof out === 'string') return out;
  const age = (name) => statSync(join(root, 'runs', name)).mtimeMs;
  return `runs/${readdirSync(join(root, 'runs')).sort((a, b) => age(b) - age(a))[0]}`;
}
