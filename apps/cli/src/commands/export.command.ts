import { type ExportFormat, exportFormats } from '@espalier/protocol/export';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { exportRun } from '../remote/export-run.js';
import { findRun } from '../remote/find-run.js';
import { examples } from '../examples.js';
import { formatBytes } from '../view/numbers.js';

interface ExportOptions extends ConnectOptions {
  readonly format: ExportFormat;
  readonly checkpoints?: boolean;
}

/** Adds `espalier export`. */
export function addExportCommand(program: Command, context: CommandContext): void {
  withConnection(program.command('export <run> <folder>'))
    .description('write everything a server has about a run to a new folder, with a manifest of hashes')
    .addOption(new Option('--format <format>', 'of the tables').choices(exportFormats).default('jsonl'))
    .option('--checkpoints', 'checkpoints too')
    .addHelpText(
      'after',
      `\nrun.json, tables of metrics, trajectories and records, and every trajectory with its tokens. Each file is\n` +
        `checked against the sha256 in manifest.json, which is written last.\n` +
        examples(
          ['export bandit-grpo out/bandit-grpo', 'JSON Lines'],
          [
            'export bandit-grpo out/bandit-grpo --format parquet --checkpoints',
            'for pandas, with the models',
          ],
        ),
    )
    .action(async (word: string, folder: string, options: ExportOptions) =>
      write(word, folder, options, context.console),
    );
}

async function write(word: string, folder: string, options: ExportOptions, console: Console): Promise<void> {
  const client = connect(options);
  const runId = await findRun(client, word);
  const manifest = await exportRun(client, runId, folder, options);
  if (options.json === true) return console.line(JSON.stringify({ folder, ...manifest }));
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  console.line(`${folder}: ${manifest.files.length} files, ${formatBytes(bytes)}, all hashes verified`);
}
