import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean } from '../console.js';
import { examples } from '../examples.js';
import { connect, type ConnectOptions, serverOf, withConnection } from '../remote/connect.js';
import { findRun, parseCheckpoint } from '../remote/find-run.js';
import { parseCount } from '../parse-arguments.js';

interface OpenOptions extends ConnectOptions {
  readonly trajectory?: string;
  readonly token?: number;
  readonly note?: string;
}

/** Adds `espalier run open`. */
export function addRunOpen(run: Command, context: CommandContext): void {
  withConnection(run.command('open <run[@step]>'))
    .description('show a run, a step, a trajectory or a token on the open pages of the same key')
    .option('--trajectory <id>', 'this trajectory, such as train/3/0/1')
    .option('--token <n>', 'with --trajectory: this token, from 0', parseCount('--token', 0))
    .option('--note <text>', 'why; shown above the view')
    .addHelpText(
      'after',
      examples(
        ['run open bandit-grpo@20', 'its step 20'],
        ['run open bandit-grpo --trajectory train/3/0/1 --token 40 --note "here it gives up"', 'one token'],
      ),
    )
    .action(async (word: string, options: OpenOptions) => {
      if (options.token !== undefined && options.trajectory === undefined)
        throw new AppError(
          'cli.usage',
          'run open --token: a token is of a trajectory; name it with --trajectory',
        );
      const { run: named, step } = parseCheckpoint(word);
      const client = connect(options);
      const path = pathOf(await findRun(client, named), step, options);
      const { pages } = await client.showView(path, options.note);
      const url = new URL(path, serverOf(options.server)).href;
      if (options.json === true) return context.console.line(JSON.stringify({ url, pages }));
      return context.console.line(
        pages === 0
          ? `no page is open with this key; the address is ${clean(url)}`
          : `${pages} ${pages === 1 ? 'page shows' : 'pages show'} ${clean(url)}`,
      );
    });
}

function pathOf(id: string, step: number | undefined, { trajectory, token }: OpenOptions): string {
  const run = `/runs/${encodeURIComponent(id)}`;
  if (trajectory === undefined) return step === undefined ? run : `${run}?step=${step}`;
  const parts = trajectory.split('/').map(encodeURIComponent).join('/');
  return `${run}/trajectories/${parts}${token === undefined ? '' : `?view=tokens&token=${token}`}`;
}
