/**
 * From a fresh clone to a trained agent in one command, the way a user goes: installs and builds what is missing, starts
 * the server with a worker on this machine, starts a run over its API and follows it live. On a terminal the server then
 * stays up until Ctrl-C; elsewhere everything ends with the run, with its exit code. Further words are passed to `up`,
 * such as `--set steps=8`.
 */
import { build, install, root, run } from './steps.mjs';

const config = 'config/runs/bandit-starpo-s.yaml';
const begin = Date.now();

/** Runs one step; what fails ends the quickstart with its exit code. */
function step(name, task) {
  console.log(`── ${name}`);
  const code = task();
  if (code !== 0) process.exit(code);
}

step('install', install);
step('build', build);
console.log(
  `── ready after ${Math.round((Date.now() - begin) / 1000)} s; training a two-armed bandit (${config})\n`,
);

// Ctrl-C belongs to the server, which lets the training save before it ends.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
step('server, worker and a run', () =>
  run(process.execPath, ['apps/cli/dist/main.js', 'up', '--run', config, ...process.argv.slice(2)]),
);
console.log(`
next: start it again, with all runs   npm run cli -- up
      list them, in another terminal  npm run cli -- run list
      train without a server          npm run cli -- train config/runs/bandit-starpo-s.yaml
      play it yourself                npm run cli -- play bandit
      train something harder          npm run cli -- run create config/runs/frozen-lake-grpo.yaml --watch`);
