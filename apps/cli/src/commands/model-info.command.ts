import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { describeModel, type ModelDescription } from '../local/describe-model.js';
import { isFile, openNamedModel } from '../local/named-model.js';
import { formatBytes } from '../view/numbers.js';

/** Adds `espalier model info`. */
export function addModelInfo(model: Command, { console }: CommandContext): void {
  model
    .command('info <model>')
    .description('show family, sizes, number formats, tokenizer and memory of a model or a GGUF file')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['model info models/smollm2', 'a model folder'],
        ['model info SmolLM2-135M-Instruct.Q4_1.gguf --json', 'a GGUF file, before it is imported'],
      ),
    )
    .action(async (name: string, { json }: { readonly json?: boolean }) => {
      const path = isFile(name) ? name : (await openNamedModel('info', name, console)).folder;
      const description = describeModel(path);
      if (json === true) return console.line(JSON.stringify(description));
      for (const line of describe(description)) console.line(line);
    });
}

function describe({
  path,
  family,
  parameters,
  formats,
  shape,
  tokenizer,
  memory,
}: ModelDescription): string[] {
  const { layerCount, hiddenSize, headCount, keyValueHeadCount, headSize, intermediateSize } = shape;
  const numbers = Object.entries(formats).map(([format, count]) => `${format} ${share(count, parameters)}`);
  const { type, vocabularySize, stopTokens, template } = tokenizer;
  const { sampling, training, sequences, tokens } = memory;
  const rows: [string, string][] = [
    ['model', path],
    ['family', family],
    ['parameters', `${parameters.toLocaleString('en-US')} (${numbers.join(', ')})`],
    ['layers', `${layerCount} × ${hiddenSize}, feed-forward ${intermediateSize}`],
    ['heads', `${headCount} over ${keyValueHeadCount} key/value heads of ${headSize}`],
    ['vocabulary', `${shape.vocabularySize}${shape.isTied ? ', tied to the head' : ''}`],
    ['context', `${shape.contextLength} tokens`],
    [
      'tokenizer',
      `${type}, ${vocabularySize} tokens, a turn ends with ${stopTokens.map(({ text }) => text).join(', ')}`,
    ],
    [
      'template',
      template === null
        ? 'none'
        : `${template.length} characters, begins with ${JSON.stringify(template.slice(0, 40))}`,
    ],
    [
      'memory',
      `${formatBytes(sampling)} to sample, ${formatBytes(training)} to train (${sequences} sequences of ${tokens} tokens)`,
    ],
  ];
  return rows.map(([name, text]) => `${name.padEnd(12)}${text}`);
}

const share = (count: number, of: number): string => `${((100 * count) / of).toFixed(1)} %`;
