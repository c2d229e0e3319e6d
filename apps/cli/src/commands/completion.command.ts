import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { completionScript, type Shell, shells } from '../completion-script.js';

/** Adds `espalier completion`. */
export function addCompletionCommand(program: Command, { console }: CommandContext): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      examples(['completion bash > ~/.local/share/bash-completion/completions/espalier', 'for bash']),
    )
    .action((shell: Shell) => console.write(completionScript(program, shell)));
}
