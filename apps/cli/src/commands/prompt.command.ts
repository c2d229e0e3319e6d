import type { Command } from 'commander';
import { isolateRun } from '../local/isolate-run.js';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { noteCorrupt } from '../local/open-model.js';
import { planRun } from '../local/resolve-run.js';
import { collect } from '../parse-arguments.js';
import { measurePrompt } from '../plan/measure-prompt.js';
import { loadRegistry } from '../workspace.js';

interface PromptOptions {
  readonly set: string[];
  readonly json?: boolean;
}

/** Adds `espalier prompt`. */
export function addPromptCommand(program: Command, context: CommandContext): void {
  program
    .command('prompt <config>')
    .description(
      'show the prompt of a run as the model reads it: the first message and a later one, in tokens and text',
    )
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['prompt config/runs/bandit-grpo.yaml', 'the first prompt of a run'],
        ['prompt config/runs/bandit-grpo.yaml --set rollout.prompt.preset=plain', 'the same in other words'],
      ),
    )
    .action(async (config: string, options: PromptOptions) => show(config, options, context.console));
}

async function show(config: string, options: PromptOptions, console: Console): Promise<void> {
  const registry = await loadRegistry(console);
  const planned = await planRun(config, options.set, { registry, console });
  noteCorrupt(planned.model, console);
  const plugins = await isolateRun(planned.spec, registry);
  const lengths = await measurePrompt(planned.spec, planned.model, plugins).finally(() => plugins.dispose());
  const { first, later, firstText, laterText } = lengths;
  const { prompt } = planned.spec.rollout;
  if (options.json === true)
    return console.line(JSON.stringify({ prompt, first, later, firstText, laterText }));
  const { bold, dim } = console.colors;
  console.line(bold(`prompt "${prompt.preset}", first message: ${first} tokens`));
  console.line(firstText);
  console.line(dim('… the model continues here'));
  console.line(bold(`\nlater messages: ${later} tokens, the end of the reply included`));
  console.line(laterText);
}
