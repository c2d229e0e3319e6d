import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { importLine } from '../remote/import-line.js';
import type { ImportedRun, ImportProgress } from '../remote/import-run.js';
import { examples } from '../examples.js';
import { collect } from '../parse-arguments.js';
import { cut, formatBytes } from '../view/numbers.js';

interface ImportOptions extends ConnectOptions {
  readonly name?: string;
  readonly project?: string;
  readonly tag: readonly string[];
  readonly again?: boolean;
}

/** Adds `espalier run import`. */
export function addRunImport(run: Command, { console }: CommandContext): void {
  withConnection(run.command('import <folder>'))
    .description('send a run made by `espalier train` to the server: history, trajectories, checkpoints')
    .option('--name <name>', 'name for people (default: that of its spec)')
    .option('--project <name>', 'project it belongs to')
    .option('--tag <tag>', 'label for finding it again; repeatable', collect, [])
    .option('--again', 'import a folder that was imported before as another run')
    .addHelpText(
      'after',
      `\nThe folder is only read. An interrupted import continues when the same command is given again.\n` +
        examples(['run import runs/bandit-grpo-1', 'a folder that is there already is left alone']),
    )
    .action(async (folder: string, options: ImportOptions) => {
      // loaded here, so that the other commands for runs start without the trainer
      const { importRun } = await import('../remote/import-run.js');
      const { name, project, tag, again, json } = options;
      const line = json === true ? undefined : createProgressLine(console);
      try {
        const imported = await importRun(connect(options), folder, {
          tags: tag,
          again: again === true,
          ...(name === undefined ? {} : { name }),
          ...(project === undefined ? {} : { project }),
          ...(line === undefined ? {} : { onProgress: line.show }),
        });
        line?.clear();
        if (json === true) console.line(JSON.stringify(imported));
        else print(imported, console);
      } catch (error) {
        line?.clear();
        throw error;
      }
    });
}

function print(imported: ImportedRun, console: Console): void {
  const { runId, name, state, outcome, isChanged, events, files, bytes } = imported;
  const called = `run ${runId}  ${clean(name)}  ${state}`;
  if (outcome === 'known')
    console.line(
      `${called}  was imported before; nothing was done\n` +
        (isChanged ? 'The folder holds something else now: the run went on since. ' : '') +
        '`--again` makes one more run of it.',
    );
  else
    console.line(
      `${called}  ${events} events, ${files} files, ${formatBytes(bytes)}${outcome === 'continued' ? ' (went on with an import that broke off)' : ''}`,
    );
}

/** Draws over one line, five times a second; undefined where that cannot be done. */
function createProgressLine(
  console: Console,
): { show(progress: ImportProgress): void; clear(): void } | undefined {
  if (!console.isInteractive) return undefined;
  const start = performance.now();
  let drawn = -Infinity;
  return {
    show(progress) {
      const now = performance.now();
      if (now - drawn < 200) return;
      drawn = now;
      console.write(`\r\u001b[2K${cut(importLine(progress, now - start), console.columns() - 1)}`);
    },
    clear: () => console.write('\r\u001b[2K'),
  };
}
