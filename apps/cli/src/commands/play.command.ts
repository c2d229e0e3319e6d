import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { openEnvironment } from '../local/open-environment.js';
import { parseParams, parseSeed } from '../parse-arguments.js';
import { createPlayer, isQuit, playKeys } from '../local/play-words.js';
import { readWords } from '../local/read-words.js';
import { loadRegistry } from '../workspace.js';

interface PlayOptions {
  readonly seed: number;
  readonly params: Record<string, unknown>;
}

/** Adds `espalier play`. */
export function addPlayCommand(program: Command, context: CommandContext): void {
  program
    .command('play <environment>')
    .description('play an environment in the terminal; the oracle can be asked')
    .option('--seed <n>', 'initial state', parseSeed, 0)
    .option('--params <json>', 'options of the environment, such as \'{"preset": "r1"}\'', parseParams, {})
    .addHelpText(
      'after',
      `\nType an action's name, its number, a beginning that fits only one, or use the arrow keys.\n` +
        `Where an action has several lines, end all but the last with a backslash.\n${playKeys}\n` +
        examples(
          ['play sokoban --seed 7', 'push the box onto the target'],
          ['play frozen-lake', 'another one, from a script', `printf 'right\\nright\\nq\\n'`],
        ),
    )
    .action(async (id: string, options: PlayOptions) => play(id, options, context.console));
}

async function play(id: string, options: PlayOptions, console: Console): Promise<void> {
  const environment = openEnvironment(id, options.params, await loadRegistry(console));
  const player = await createPlayer(environment, options.seed, console);
  try {
    for await (const word of readWords('> ', console.isInteractive && process.stdin.isTTY === true)) {
      if (isQuit(word)) break;
      await player.answer(word);
    }
  } finally {
    await player.close();
  }
}
