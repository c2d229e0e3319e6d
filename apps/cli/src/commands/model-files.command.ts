import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { convertModelFolder, exportGguf, importGguf } from '@espalier/model/conversion';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { openNamedModel } from '../local/named-model.js';
import { requireUsable } from '../local/run-folder.js';
import { formatBytes } from '../view/numbers.js';

type Dtype = 'float32' | 'float16' | 'bfloat16';

interface ImportOptions {
  readonly out: string;
  readonly dtype: Dtype;
  readonly template?: string;
  readonly json?: boolean;
}

interface ExportOptions {
  readonly out: string;
  readonly format: 'safetensors' | 'gguf';
  readonly dtype?: Dtype | 'f16' | 'q8_0';
  readonly json?: boolean;
}

const dtypes = ['float32', 'float16', 'bfloat16'] as const;
const ggufDtypes = ['f16', 'q8_0'] as const;

/** Adds `espalier model import` and `espalier model export`. */
export function addModelFiles(model: Command, { console }: CommandContext): void {
  model
    .command('import <file>')
    .description('convert a GGUF file to a model folder')
    .requiredOption('--out <folder>', 'new folder for the model')
    .addOption(
      new Option('--dtype <dtype>', 'number format of the weights').choices(dtypes).default('float32'),
    )
    .option('--template <file>', 'chat template, for a file that has none (or to replace it)')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `\nReads F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K.\n` +
        examples([
          'model import SmolLM2-135M-Instruct.Q4_1.gguf --out models/smollm2',
          'makes a model folder',
        ]),
    )
    .action(async (file: string, options: ImportOptions) => importModel(file, options, console));
  model
    .command('export <model>')
    .description('write a model as a Hugging Face folder or a GGUF file')
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
      ).choices([...dtypes, ...ggufDtypes]),
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
    .action(async (name: string, options: ExportOptions) => exportModel(name, options, console));
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
  await write('import', file, out, json === true, console, (options) =>
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
  const names: readonly string[] = format === 'gguf' ? ggufDtypes : dtypes;
  if (dtype !== undefined && !names.includes(dtype))
    throw new AppError('cli.usage', `--dtype ${dtype}: --format ${format} is written as ${names.join(', ')}`);
  const { folder } = await openNamedModel('export', name, console);
  await write('export', name, out, json === true, console, (options) =>
    format === 'gguf'
      ? exportGguf(folder, out, {
          ...options,
          dtype: (dtype ?? 'f16') as 'f16',
          name: basename(resolve(folder)),
        })
      : convertModelFolder(folder, out, { ...options, dtype: (dtype ?? 'float32') as Dtype }),
  );
}

interface WriteCalls {
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number, ofBytes: number) => void;
}

const reportMs = 2000;

/** Runs the work with progress on standard error; Ctrl-C stops it and leaves nothing behind. */
async function write(
  what: string,
  from: string,
  out: string,
  asJson: boolean,
  console: Console,
  work: (calls: WriteCalls) => Promise<void>,
): Promise<void> {
  requireUsable(resolve(out, '..'));
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  let next = performance.now() + reportMs;
  let total = 0;
  try {
    await work({
      signal: interrupt.signal,
      onProgress(bytes, ofBytes) {
        total = ofBytes;
        if (performance.now() < next) return;
        next = performance.now() + reportMs;
        console.note(`${what} ${from}: ${formatBytes(bytes)} of ${formatBytes(ofBytes)}`);
      },
    });
  } catch (cause) {
    if (!interrupt.signal.aborted) throw cause;
    throw new AppError('cli.interrupted', `${what} ${from}: stopped; nothing was written`, { cause });
  } finally {
    interrupt.dispose();
  }
  console.line(
    asJson ? JSON.stringify({ model: out, from, bytes: total }) : `model ${out}  ${formatBytes(total)}`,
  );
}
