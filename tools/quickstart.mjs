/**
 * From a fresh clone to a trained agent in one command: installs and builds what is missing, then trains the
 * two-armed bandit from the model that ships with Espalier. Further words are passed to `train`.
 */
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
console.log(`
next: play it yourself        npm run cli -- play sokoban --seed 7
      see every option        npm run cli -- plan config/runs/sokoban-ppo.yaml
      train something harder  npm run cli -- train config/runs/frozen-lake-grpo.yaml`);
