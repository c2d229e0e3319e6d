import { readFileSync } from 'node:fs';
import { Command, Help, type Option } from 'commander';
import type { CommandContext } from './command-context.js';
import { commands } from './command-list.js';
import { exitCodeMeanings } from './exit-codes.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/**
 * Builds the command line; `finish` receives exit codes other than 0.
 *
 * @param called the command that will run: only that one is loaded, of the others there is a name and a summary
 */
export async function createProgram(context: CommandContext, called?: string): Promise<Command> {
  const program = new Command('espalier')
    .description('Trains language-model agents with multi-turn reinforcement learning.')
    .configureOutput({
      writeOut: (text) => context.console.write(text),
      writeErr: (text) => context.console.note(text.trimEnd()),
      outputError: () => undefined, // print-error.ts says it
    })
    .configureHelp({ optionDescription })
    .version(version)
    .exitOverride();
  for (const [heading, group] of Object.entries(commands)) {
    program.commandsGroup(heading);
    for (const [name, { summary, load }] of Object.entries(group)) {
      // a script that completes words has those of all commands
      if (name === called || called === 'completion') (await load())(program, context);
      else program.command(name).summary(summary);
    }
  }
  program.helpCommand(true); // under the last heading
  program.addHelpText('after', `\nExit codes:\n${exitCodeText()}`);
  return program;
}

/** As usual, except that nothing is no default worth telling. */
function optionDescription(option: Option): string {
  const value: unknown = option.defaultValue;
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const shown = isEmpty
    ? Object.assign(Object.create(option) as Option, { defaultValue: undefined })
    : option;
  return new Help().optionDescription(shown);
}

function exitCodeText(): string {
  return exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}\n`).join('');
}
