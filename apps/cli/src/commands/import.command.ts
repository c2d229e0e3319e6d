import { basename } from 'node:path';
import { parseConfig } from '@espalier/config';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { examples } from '../examples.js';
import { parseModelName } from '../local/named-model.js';
import { planRun } from '../local/resolve-run.js';
import { calledAs, parseAmount, quoteWord } from '../parse-arguments.js';
import type { ImportedTraces } from '../traces/import-traces.js';
import { loadRegistry } from '../workspace.js';

interface ImportOptions {
  readonly out: string;
  readonly model: string;
  readonly successReward: number;
  readonly invalid: 'refuse' | 'skip';
  readonly json?: boolean;
}

/** Adds `espalier import`. */
export function addImportCommand(program: Command, { console }: CommandContext): void {
  program
    .command('import <file>')
    .description(
      'make a run folder of results that the Python package verifiers saved: conversations become trajectories',
    )
    .requiredOption('--out <folder>', 'the new run folder')
    .option('--model <model>', 'whose tokenizer and chat template encode the conversations', 'seedling')
    .option(
      '--success-reward <number>',
      'an episode is a success from this sum of weighted rewards on',
      parseAmount('--success-reward'),
      1,
    )
    .addOption(
      new Option('--invalid <what>', 'lines that cannot be read: refuse the file, or skip and name them')
        .choices(['refuse', 'skip'])
        .default('refuse'),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `\nReads traces.jsonl of verifiers 0.4 and results.jsonl of earlier versions, also as .gz. Log-probabilities are kept\n` +
        `where a trace has ids that are those of the model's tokenizer.\n` +
        examples(
          [
            'import outputs/my-run/traces.jsonl --out runs/my-run --model ./models/qwen',
            'then: espalier show runs/my-run',
          ],
          ['import results.jsonl --out runs/old --invalid skip', 'lines that are broken are named'],
        ),
    )
    .action(async (file: string, options: ImportOptions) => read(file, options, console));
}

async function read(file: string, options: ImportOptions, console: Console): Promise<void> {
  const { out, model, successReward, invalid } = options;
  const registry = await loadRegistry(console);
  // what a run of conversations that another program had looks like
  const config = {
    name: basename(out),
    model: parseModelName(model, registry),
    environment: { use: 'agent-program' },
    algorithm: { use: 'grpo' },
    steps: 1,
  };
  const planned = await planRun(parseConfig(JSON.stringify(config), 'import'), [], { registry, console });
  const { loadTokenizer } = await import('@espalier/model');
  const { importTraces } = await import('../traces/import-traces.js');
  const imported = await importTraces(file, out, {
    spec: planned.spec,
    tokenizer: loadTokenizer(planned.model.folder),
    successReward,
    invalid,
  });
  if (options.json === true) console.line(JSON.stringify({ folder: out, ...imported }));
  else print(out, imported, console);
}

function print(folder: string, imported: ImportedTraces, console: Console): void {
  const { episodes, tasks, successes, meanReward, tokens, knownLogprobs, skipped } = imported;
  console.line(
    `${folder}: ${episodes} episodes of ${tasks} tasks, ${successes} successes, mean reward ${Number(meanReward.toFixed(4))}`,
  );
  console.line(`${tokens} tokens of replies, ${knownLogprobs} with a recorded log-probability`);
  for (const { line, finding } of skipped) console.note(`skipped line ${line}: ${clean(finding)}`);
  console.line(`${calledAs()} show ${quoteWord(folder)}`);
}
