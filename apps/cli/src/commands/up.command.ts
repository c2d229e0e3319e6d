import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { openServer, type ServeOptions } from '../control/open-server.js';
import { startLocalWorker } from '../control/start-local-worker.js';
import { untilStopped } from '../control/until-stopped.js';
import { examples } from '../examples.js';
import { withServerOptions } from './serve.command.js';

/** Adds `espalier up`. */
export function addUpCommand(program: Command, context: CommandContext): void {
  withServerOptions(program.command('up'))
    .description('start the server and a worker on this machine: all that one machine needs')
    .option('--slots <number>', 'jobs at once on processors, where there is no GPU', '1')
    .addHelpText(
      'after',
      `\nCtrl-C saves and stops what is training; the next \`up\` goes on with it.\n` +
        examples(['up', 'then: espalier run create config/runs/bandit-starpo-s.yaml --watch']),
    )
    .action(async (options: ServeOptions & { readonly slots: string }) => {
      const opened = await openServer(options, context.console);
      const worker = await startLocalWorker(opened, { slots: options.slots }, context.console);
      await untilStopped(context.console, async () => {
        await worker.close();
        await opened.server.close();
      });
    });
}
