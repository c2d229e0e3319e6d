import type { Checkpoint } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { examples } from '../examples.js';
import { formatDuration } from '../view/eta.js';

/** Adds `espalier run checkpoints` and `run projects`. */
export function addRunCheckpoints(run: Command, { console }: CommandContext): void {
  withConnection(run.command('checkpoints <run>'))
    .description('list the checkpoints of a run: step, size, age, whether it can be forked there')
    .addHelpText(
      'after',
      examples(['run checkpoints bandit-grpo', '`run fork bandit-grpo@20` begins at one']),
    )
    .action(async (word: string, options: ConnectOptions) => {
      const client = connect(options);
      const found = await client.runs.checkpoints(await findRun(client, word));
      if (options.json === true) return console.line(JSON.stringify(found));
      if (found.length === 0) console.note('no checkpoint has been stored yet');
      for (const checkpoint of found) console.line(describe(checkpoint));
    });
  withConnection(run.command('projects'))
    .description('list the projects that have runs, with how many are in which state')
    .addHelpText('after', examples(['run projects', 'those that the key may see']))
    .action(async (options: ConnectOptions) => {
      const projects = [];
      for await (const project of connect(options).projects()) projects.push(project);
      if (options.json === true) return console.line(JSON.stringify(projects));
      for (const { name, runs, states } of projects) {
        const counts = states.map((one) => `${one.runs} ${one.state}`).join(', ');
        console.line(`${name.padEnd(24)} ${String(runs).padStart(5)}  ${counts}`);
      }
    });
}

function describe({ step, bytes, createdAt, isComplete, canFork }: Checkpoint): string {
  const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const age = formatDuration(Date.now() - Date.parse(createdAt));
  const use = canFork ? 'can be forked' : isComplete ? 'its run is being imported' : 'not complete';
  return `step ${String(step).padStart(6)}  ${size.padStart(12)}  ${age.padStart(8)} ago  ${use}`;
}
