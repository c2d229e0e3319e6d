import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addEnvCommand } from './commands/env-show.command.js';
import { addEvalCommand } from './commands/eval.command.js';
import { addPlanCommand } from './commands/plan.command.js';
import { addPlayCommand } from './commands/play.command.js';
import { addPluginsCommand } from './commands/plugins.command.js';
import { addShowCommand } from './commands/show.command.js';
import { addTrainCommand } from './commands/train.command.js';
import { addWarmStartCommand } from './commands/warm-start.command.js';
import type { CommandContext } from './command-context.js';
import { exitCodeMeanings } from './exit-codes.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Builds the command line; `finish` is told exit codes other than 0. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('espalier')
    .description('Trains language-model agents with multi-turn reinforcement learning.')
    .configureOutput({
      writeOut: (text) => context.console.write(text),
      writeErr: (text) => context.console.note(text.trimEnd()),
      outputError: () => undefined, // print-error.ts says it
    })
    .version(version)
    .exitOverride();
  const adders = [
    addTrainCommand,
    addEvalCommand,
    addShowCommand,
    addPlanCommand,
    addWarmStartCommand,
    addPlayCommand,
    addEnvCommand,
    addPluginsCommand,
  ];
  for (const add of adders) add(program, context);
  program.addHelpText('after', `\nExit codes:\n${exitCodeText()}`);
  return program;
}

function exitCodeText(): string {
  return exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}\n`).join('');
}
