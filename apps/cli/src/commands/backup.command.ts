import { resolve } from 'node:path';
import {
  type BackupManifest,
  type BackupProgress,
  createBackup,
  restoreBackup,
} from '@espalier/server/plain';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { resolveOptions } from '../remote/open-server.js';
import { listenForStop } from '../remote/stop-request.js';
import { examples } from '../examples.js';
import { exitCodes } from '../exit-codes.js';
import { formatBytes } from '../view/numbers.js';

interface Options {
  readonly data?: string;
  readonly config: string;
  readonly json?: boolean;
}

const about = `\nSettings come from config/server.yaml and ESPALIER__SERVER__… variables, as for \`serve\`.\n`;

/** Adds `espalier backup`. */
export function addBackupCommand(program: Command, { console, finish }: CommandContext): void {
  withPlace(program.command('backup'))
    .description('back up the data of a server, which may be running')
    .requiredOption('--out <folder>', 'new or empty folder for the backup')
    .addHelpText(
      'after',
      about + examples(['backup --data data --out backups/monday', 'the database, artifacts and keys']),
    )
    .action(async (options: Options & { readonly out: string }) => {
      const out = resolve(options.out);
      const settings = resolveOptions(options);
      const manifest = await withProgress(console, (calls) =>
        createBackup({ ...settings, data: resolve(settings.data) }, out, calls),
      );
      report(console, { backup: out }, manifest, options.json === true);
      for (const { key, finding } of manifest.missing) console.note(`missing ${key}: ${finding}`);
      if (manifest.missing.length === 0) return;
      console.note(
        `the backup is complete but for ${manifest.missing.length} artifacts that the server has lost; see \`missing\` in backup.json`,
      );
      finish(exitCodes.failed);
    });
}

/** Adds `espalier restore`. */
export function addRestoreCommand(program: Command, { console }: CommandContext): void {
  withPlace(program.command('restore <backup>'))
    .description('restore a backup to a new data folder, every file checked by its hash')
    .addHelpText(
      'after',
      about + examples(['restore backups/monday --data restored', 'then: espalier serve --data restored']),
    )
    .action(async (backup: string, options: Options) => {
      const settings = resolveOptions(options);
      const data = resolve(settings.data);
      const manifest = await withProgress(console, (calls) =>
        restoreBackup({ ...settings, data }, resolve(backup), calls),
      );
      report(console, { data }, manifest, options.json === true);
    });
}

function withPlace(command: Command): Command {
  return command
    .option('--data <folder>', 'data folder of the server (default: data)')
    .option('--config <file>', 'file of settings', 'config/server.yaml')
    .option('--json', 'print the result as one line of JSON');
}

const restMs = 2000;

interface Calls {
  readonly signal: AbortSignal;
  onProgress(progress: BackupProgress): void;
}

/** Tells now and then on standard error how far it is; Ctrl-C stops it. */
async function withProgress<T>(console: Console, work: (calls: Calls) => Promise<T>): Promise<T> {
  const request = listenForStop();
  let next = 0;
  try {
    return await work({
      signal: request.signal,
      onProgress({ stage, files, ofFiles, bytes }) {
        if (performance.now() < next && files !== ofFiles) return;
        next = performance.now() + restMs;
        console.note(
          stage === 'database' ? 'database …' : `files  ${files} of ${ofFiles}, ${formatBytes(bytes)}`,
        );
      },
    });
  } finally {
    request.dispose();
  }
}

function report(
  console: Console,
  place: Readonly<Record<string, string>>,
  { createdAt, database, artifactStore, counts, missing, files }: BackupManifest,
  asJson: boolean,
): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const facts = { ...place, createdAt, database, artifactStore, counts, missing, bytes };
  if (asJson) return console.line(JSON.stringify(facts));
  const [[name, folder] = ['', '']] = Object.entries(place);
  const { runs, jobs, artifacts } = counts;
  console.line(
    `${name}  ${folder}  ${runs} runs, ${jobs} jobs, ${artifacts} artifacts, ${formatBytes(bytes)}, as of ${createdAt}`,
  );
  if (artifactStore.driver === 's3')
    console.note(`artifacts stay in the bucket "${artifactStore.bucket}"; back it up by its own means`);
}
