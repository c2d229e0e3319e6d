import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { convertAdapter, isAdapterFolder, loadAdapter, mergeAdapter } from '@espalier/model/adapters';
import { convertModelFolder, exportGguf, importGguf } from '@espalier/model/conversion';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { mergeCommand, openNamedModel, readingModel } from '../local/named-model.js';
import { type ModelDtype, modelDtypes, writeModel } from '../local/write-model.js';

interface ImportOptions {
  readonly out: string;
  readonly dtype: ModelDtype;
  readonly template?: string;
  readonly json?: boolean;
}

interface ExportOptions {
  readonly out: string;
  readonly format: 'safetensors' | 'gguf';
  readonly dtype?: ModelDtype | 'f16' | 'q8_0';
  readonly json?: boolean;
}

const ggufDtypes = ['f16', 'q8_0'] as const;

/** Adds `espalier model import`, `export` and `merge`. */
export function addModelFiles(model: Command, { console }: CommandContext): void {
  model
    .command('import <file>')
    .description('convert a GGUF file, or a model in several of them, to a model folder')
    .requiredOption('--out <folder>', 'new folder for the model')
    .addOption(
      new Option('--dtype <dtype>', 'number format of the weights').choices(modelDtypes).default('float32'),
    )
    .option('--template <file>', 'chat template, for a file that has none (or to replace it)')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `\nReads F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K.\n` +
        examples(
          ['model import SmolLM2-135M-Instruct.Q4_1.gguf --out models/smollm2', 'makes a model folder'],
          [
            'model import Qwen2.5-7B-Q8_0-00001-of-00003.gguf --out models/qwen',
            'names the first of its parts',
          ],
        ),
    )
    .action(async (file: string, options: ImportOptions) =>
      readingModel(`import ${file}`, () => importModel(file, options, console)),
    );
  model
    .command('export <model>')
    .description(
      'write a model as a Hugging Face folder or a GGUF file, or an adapter in another number format',
    )
    .requiredOption('--out <path>', 'new folder, or file for --format gguf')
    .addOption(
      new Option('--format <format>', 'what is written')
        .choices(['safetensors', 'gguf'])
        .default('safetensors'),
    )
    .addOption(
      new Option(
        '--dtype <dtype>',
        'number format: float32, float16 or bfloat16 for safetensors (default: float32), f16 or q8_0 for gguf (default: f16)',
      ).choices([...modelDtypes, ...ggufDtypes]),
    )
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      examples(
        ['model export runs/bandit-grpo-1 --out models/trained --dtype bfloat16', 'the newest checkpoint'],
        [
          'model export models/smollm2 --out smollm2.gguf --format gguf --dtype q8_0',
          'for llama.cpp and its kin',
        ],
      ),
    )
    .action(async (name: string, options: ExportOptions) =>
      readingModel(`export ${name}`, () => exportModel(name, options, console)),
    );
  model
    .command('merge <base> <adapter>')
    .description('merge a LoRA adapter of PEFT or Espalier into the model it was trained on')
    .requiredOption('--out <folder>', 'new folder for the merged model')
    .addOption(
      new Option('--dtype <dtype>', 'number format of the weights').choices(modelDtypes).default('float32'),
    )
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      examples(['model merge models/smollm2 adapters/polite --out models/polite', 'a model of its own']),
    )
    .action(async (base: string, adapter: string, options: MergeOptions) =>
      readingModel(`merge ${adapter}`, () => mergeModel(base, adapter, options, console)),
    );
}

async function importModel(
  file: string,
  { out, dtype, template, json }: ImportOptions,
  console: Console,
): Promise<void> {
  if (!existsSync(file))
    throw new AppError('model.not_found', `import ${file}: no such file; name a GGUF file`, {
      details: { file },
    });
  const text = template === undefined ? undefined : readText(template);
  await writeModel('import', file, out, json === true, console, (options) =>
    importGguf(file, out, { ...options, dtype, ...(text === undefined ? {} : { template: text }) }),
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new AppError('cli.usage', `--template ${path}: the file cannot be read`, { cause });
  }
}

async function exportModel(
  name: string,
  { out, format, dtype, json }: ExportOptions,
  console: Console,
): Promise<void> {
  const names: readonly string[] = format === 'gguf' ? ggufDtypes : modelDtypes;
  if (dtype !== undefined && !names.includes(dtype))
    throw new AppError('cli.usage', `--dtype ${dtype}: --format ${format} is written as ${names.join(', ')}`);
  if (isAdapterFolder(name)) {
    if (format === 'gguf')
      throw new AppError('cli.usage', `export ${name}: is an adapter; merge it first: ${mergeCommand(name)}`);
    return writeModel('export', name, out, json === true, console, (options) =>
      convertAdapter(name, out, { ...options, dtype: (dtype ?? 'float32') as ModelDtype }),
    );
  }
  const { folder, base } = await openNamedModel('export', name, console);
  await writeModel('export', name, out, json === true, console, (options) =>
    format === 'gguf'
      ? exportGguf(folder, out, {
          ...options,
          base,
          dtype: (dtype ?? 'f16') as 'f16',
          name: basename(resolve(folder)),
        })
      : convertModelFolder(folder, out, { ...options, base, dtype: (dtype ?? 'float32') as ModelDtype }),
  );
}

interface MergeOptions {
  readonly out: string;
  readonly dtype: ModelDtype;
  readonly json?: boolean;
}

async function mergeModel(
  base: string,
  adapter: string,
  { out, dtype, json }: MergeOptions,
  console: Console,
): Promise<void> {
  if (!existsSync(adapter))
    throw new AppError('model.not_found', `merge ${adapter}: no such folder; name the folder of an adapter`, {
      details: { folder: adapter },
    });
  const { folder } = await openNamedModel('merge', base, console);
  noteOtherBase(base, adapter, console);
  await writeModel('merge', adapter, out, json === true, console, (options) =>
    mergeAdapter(folder, adapter, out, { ...options, dtype }),
  );
}

/**
 * Says which base an adapter names, where it is not the one that was given by its name. An adapter of Espalier has the sha256 of
 * its base, which is compared; of others a base with the same shapes cannot be told from their own.
 */
function noteOtherBase(base: string, adapter: string, console: Console): void {
  if (!isAdapterFolder(adapter)) return;
  const { name, sha256 } = loadAdapter(adapter).base;
  if (name === undefined || sha256 !== undefined) return;
  const [given = ''] = basename(base).toLowerCase().split('@');
  if (given === basename(name).toLowerCase()) return;
  console.note(
    `note: ${adapter} was trained on ${name}; that ${base} has the same weights is not known, only that it has the same shapes`,
  );
}
