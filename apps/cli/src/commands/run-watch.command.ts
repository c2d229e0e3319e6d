import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, withConnection } from '../remote/connect.js';
import type { ConnectOptions } from '../remote/connect.js';
import { findRun } from '../remote/find-run.js';
import { watchRun } from '../remote/watch-run.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';

/** Adds `espalier run watch`. */
export function addRunWatch(run: Command, context: CommandContext): void {
  withConnection(run.command('watch <run>'))
    .description('follow a run live until it has stopped; Ctrl-C leaves the run alone')
    .option('--after <cursor>', 'only what came later than this record', parseCount('--after', 0), 0)
    .addHelpText(
      'after',
      `\nEnds with 0 when the run has finished, 5 when it has failed, 75 when it was paused or cancelled, or on Ctrl-C.\n` +
        examples(
          ['run watch bandit-starpo-s', 'progress, curves, time left'],
          ['run watch bandit-starpo-s --json', 'every record, one object per line'],
        ),
    )
    .action(async (word: string, options: ConnectOptions & { readonly after: number }) => {
      const client = connect(options);
      context.finish(await watchRun(client, await findRun(client, word), options, context.console));
    });
}
