import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { openServer, type ServeOptions } from '../remote/open-server.js';
import { untilStopped } from '../remote/stop-request.js';

/** Adds `espalier serve`. */
export function addServeCommand(program: Command, context: CommandContext): void {
  withServerOptions(program.command('serve'))
    .description('start the server: runs over GraphQL, REST and sockets; workers connect to it')
    .addHelpText(
      'after',
      `\nSettings come from config/server.yaml, then variables such as ESPALIER__SERVER__PORT, then these options.\n` +
        examples(
          ['serve', 'on http://127.0.0.1:4500, data in ./data'],
          ['serve --port 0 --data /srv/espalier --json', 'any free port, printed as JSON'],
        ),
    )
    .action(async (options: ServeOptions) => {
      const { server } = await openServer(options, context.console);
      await untilStopped(context.console, () => server.close());
    });
}

/** Adds what `serve` and `up` share. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on; 0: any free one (default: 4500)')
    .option('--data <folder>', 'folder of everything that is stored (default: data)')
    .option('--config <file>', 'file of settings', 'config/server.yaml')
    .option('--json', 'print one line of JSON when it is ready');
}
