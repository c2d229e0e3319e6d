import { listEnvironments } from '@espalier/contracts/mixing';
import type { Command } from 'commander';
import { isolateRun } from '../local/isolate-run.js';
import { openConfig } from '../local/open-config.js';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { noteCorrupt } from '../local/open-model.js';
import { planRun } from '../local/resolve-run.js';
import { collect } from '../parse-arguments.js';
import { measurePrompt, type PromptLengths } from '../plan/measure-prompt.js';

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
  const { input, registry } = await openConfig(config, options.set, console);
  const planned = await planRun(input, [], { registry, console });
  noteCorrupt(planned.model, console);
  const plugins = await isolateRun(planned.spec, registry);
  const { prompt } = planned.spec.rollout;
  const shown: ShownPrompt[] = [];
  try {
    for (const { tag, level, spec } of listEnvironments(planned.spec))
      shown.push({ tag, level, ...(await measurePrompt(spec, planned.model, plugins)) });
  } finally {
    await plugins.dispose();
  }
  const [only] = shown;
  if (options.json === true)
    return console.line(
      JSON.stringify(shown.length === 1 ? { prompt, ...plain(only) } : { prompt, tags: shown.map(plain) }),
    );
  for (const one of shown) print(one, prompt.preset, console);
}

type ShownPrompt = PromptLengths & { readonly tag: string | undefined; readonly level: number | undefined };

function plain(shown: ShownPrompt | undefined): object {
  if (shown === undefined) return {};
  const { tag, level, first, later, firstText, laterText } = shown;
  const where = { ...(tag === undefined ? {} : { tag }), ...(level === undefined ? {} : { level }) };
  return { ...where, first, later, firstText, laterText };
}

function print(
  { tag, level, first, later, firstText, laterText }: ShownPrompt,
  preset: string,
  console: Console,
): void {
  const { bold, dim } = console.colors;
  const at = level === undefined ? '' : ` at level ${level}`;
  const name = `${tag === undefined ? '' : ` of ${tag}`}${at}`;
  console.line(bold(`prompt "${preset}"${name}, first message: ${first} tokens`));
  console.line(firstText);
  console.line(dim('… the model continues here'));
  console.line(bold(`\nlater messages: ${later} tokens, the end of the reply included`));
  console.line(laterText);
}
