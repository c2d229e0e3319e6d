import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { openEnvironment } from '../local/open-environment.js';
import { serveEnvironment } from '../openenv/serve-environment.js';
import { parseCount, parseDuration, parseParams } from '../parse-arguments.js';
import { loadRegistry } from '../workspace.js';

interface ServeOptions {
  readonly params: Record<string, unknown>;
  readonly host: string;
  readonly port: number;
  readonly sessions: number;
  readonly idle: number;
  readonly json?: boolean;
}

const keyVariable = 'ESPALIER_ENVIRONMENT_KEY';

/** Adds `espalier env serve` to `espalier env`. */
export function addEnvServeCommand(env: Command, { console }: CommandContext): void {
  env
    .command('serve <environment>')
    .description('offer an environment to trainers and agents of others, in the protocol of OpenEnv')
    .option('--params <json>', 'options of the environment, such as \'{"preset": "r1"}\'', parseParams, {})
    .option('--host <address>', 'address to listen on; anybody who reaches it can play', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0: any free one', parseCount('--port', 0), 8000)
    .option('--sessions <n>', 'most episodes at once', parseCount('--sessions', 1), 64)
    .option('--idle <time>', 'close a session that says nothing for so long', parseDuration('--idle'), 600)
    .option('--json', 'print the address as JSON')
    .addHelpText(
      'after',
      `\n${keyVariable} is a key that clients then have to send as Authorization: Bearer …\n` +
        examples(
          ['env serve sokoban', 'for a client of OpenEnv on this machine'],
          [`env serve frozen-lake --params '{"size": 6}' --port 9000`, 'with options'],
        ),
    )
    .action(async (id: string, { params, host, port, sessions, idle, json }: ServeOptions) => {
      const key = process.env[keyVariable];
      if (key === '')
        throw new AppError(
          'cli.usage',
          `env serve ${id}: ${keyVariable} is empty; give it a key, or unset it`,
        );
      const environment = openEnvironment(id, params, await loadRegistry(console));
      const served = await serveEnvironment(environment, { host, port, sessions, idleMs: idle * 1000, key });
      const interrupt = createInterrupt(console, () => console.note('stopping'));
      console.line(
        json === true
          ? JSON.stringify({ environment: id, url: served.url })
          : `${id} at ${served.url} (OpenEnv; episodes at ${served.url.replace('http', 'ws')}/ws); Ctrl-C stops it`,
      );
      if (key === undefined && !['127.0.0.1', 'localhost', '::1'].includes(host))
        console.note(`warning: anybody who reaches ${host} can play; set ${keyVariable} to ask for a key`);
      await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));
      await served.close();
      interrupt.dispose();
    });
}
