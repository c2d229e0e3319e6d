import { isHubModel } from '@espalier/contracts/model-choice';
import { isAdapterFolder } from '@espalier/model/adapters';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { type AdapterDescription, describeAdapter } from '../local/describe-adapter.js';
import { describeModel, type ModelDescription } from '../local/describe-model.js';
import { downloadHubDescription } from '../local/hub-model.js';
import { isFile, openNamedModel, parseModelName, readingModel } from '../local/named-model.js';
import { formatBytes } from '../view/numbers.js';
import { loadRegistry } from '../workspace.js';

/** Adds `espalier model info`. */
export function addModelInfo(model: Command, { console }: CommandContext): void {
  model
    .command('info <model>')
    .description(
      'show family, sizes, number formats, tokenizer and memory of a model or a GGUF file, or what an adapter is',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['model info models/smollm2', 'a model folder'],
        ['model info SmolLM2-135M-Instruct.Q4_1.gguf --json', 'a GGUF file, before it is imported'],
      ),
    )
    .action(async (name: string, options: InfoOptions) =>
      readingModel(`info ${name}`, () => info(name, options, console)),
    );
}

interface InfoOptions {
  readonly json?: boolean;
}

async function info(name: string, { json }: InfoOptions, console: Console): Promise<void> {
  if (isAdapterFolder(name)) {
    const adapter = describeAdapter(name);
    return print(adapter, json, console, adapterRows);
  }
  print(await describeNamed(name, console), json, console, modelRows);
}

/** The weights of a model of a hub stay where they are. */
async function describeNamed(name: string, console: Console): Promise<ModelDescription> {
  if (isFile(name)) return describeModel(name);
  const choice = parseModelName(name, await loadRegistry(console));
  if (!isHubModel(choice)) {
    const { folder, base } = await openNamedModel('info', name, console);
    return describeModel(folder, { base });
  }
  const { folder, weights } = await downloadHubDescription(choice, console);
  return describeModel(folder, { heads: weights });
}

type Rows = readonly (readonly [name: string, text: string])[];

function print<T>(description: T, json: boolean | undefined, console: Console, rows: (of: T) => Rows): void {
  if (json === true) return console.line(JSON.stringify(description));
  for (const [name, text] of rows(description)) console.line(`${name.padEnd(12)}${text}`);
}

function adapterRows(adapter: AdapterDescription): Rows {
  const { path, base, rank, alpha, rankStabilized, scale, layers, parameters, formats } = adapter;
  const root = rankStabilized ? ', rank-stabilized' : '';
  return [
    ['adapter', path],
    ['base', base ?? 'not recorded'],
    ['rank', `${rank}, alpha ${alpha}${root}: scale ${Number(scale.toPrecision(6))}`],
    [
      'layers',
      `${layers.length}: ${[...new Set(layers.map((layer) => layer.split('.').at(-1)))].join(', ')}`,
    ],
    ['parameters', countRow(parameters, formats)],
  ];
}

function countRow(parameters: number, formats: Readonly<Record<string, number>>): string {
  const numbers = Object.entries(formats).map(([format, count]) => `${format} ${share(count, parameters)}`);
  return `${parameters.toLocaleString('en-US')} (${numbers.join(', ')})`;
}

function modelRows({ path, family, parameters, formats, shape, tokenizer, memory }: ModelDescription): Rows {
  const { layerCount, hiddenSize, headCount, keyValueHeadCount, headSize, intermediateSize } = shape;
  const { type, vocabularySize, stopTokens, template } = tokenizer;
  const { sampling, training, sequences, tokens, batchTokens } = memory;
  return [
    ['model', path],
    ['family', family],
    ['parameters', countRow(parameters, formats)],
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
      `${formatBytes(sampling)} to sample ${sequences} sequences of ${tokens} tokens, ${formatBytes(training)} to train all weights as well, ${batchTokens} tokens at once; espalier plan says what a run takes`,
    ],
  ];
}

const share = (count: number, of: number): string => `${((100 * count) / of).toFixed(1)} %`;
