import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { developPlugin } from '../local/develop-plugin.js';
import { playKeys } from '../local/play-words.js';
import { parseDuration, parseParams, parseSeed } from '../parse-arguments.js';

interface DevOptions {
  readonly params: Record<string, unknown>;
  readonly seed: number;
  readonly limit: number;
}

/** Adds `espalier plugin dev`. */
export function addPluginDev(plugin: Command, { console }: CommandContext): void {
  plugin
    .command('dev')
    .description('play a plugin while you write it: every save builds and opens it again')
    .argument('[folder]', 'folder of the plugin', '.')
    .option('--seed <n>', 'initial state', parseSeed, 0)
    .option('--params <json>', 'options of the environment, such as \'{"preset": "r1"}\'', parseParams, {})
    .option('--limit <duration>', 'time that one call may take', parseDuration('--limit'), 10)
    .addHelpText(
      'after',
      `\n${playKeys}; Ctrl-C ends it\n${examples(['plugin dev', 'in the folder of the plugin'])}`,
    )
    .action(async (folder: string, { limit, ...options }: DevOptions) => {
      const controller = new AbortController();
      const end = (): void => controller.abort();
      process.on('SIGINT', end).on('SIGTERM', end);
      try {
        await developPlugin({ folder, ...options, callLimitMs: limit * 1000 }, console, controller.signal);
      } finally {
        process.off('SIGINT', end).off('SIGTERM', end);
        process.stdin.unref();
      }
    });
}
