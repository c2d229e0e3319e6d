import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../control/connect.js';
import { examples } from '../examples.js';
import { importRun } from '../import-run.js';
import { collect } from '../parse-arguments.js';
import { formatBytes } from '../view/numbers.js';

interface ImportOptions extends ConnectOptions {
  readonly name?: string;
  readonly project?: string;
  readonly tag: readonly string[];
}

/** Adds `espalier run import`. */
export function addRunImport(run: Command, { console }: CommandContext): void {
  withConnection(run.command('import <folder>'))
    .description('bring a run made by `espalier train` to the server: history, trajectories, checkpoints')
    .option('--name <name>', 'name for people (default: that of its spec)')
    .option('--project <name>', 'project it belongs to')
    .option('--tag <tag>', 'label for finding it again; repeatable', collect, [])
    .addHelpText('after', examples(['run import runs/bandit-grpo-1', 'the folder is only read']))
    .action(async (folder: string, options: ImportOptions) => {
      const { name, project, tag, json } = options;
      const { url, key } = connect(options).connection;
      const imported = await importRun(folder, {
        ...{ server: url, key, tags: tag },
        ...(name === undefined ? {} : { name }),
        ...(project === undefined ? {} : { project }),
      });
      const { runId, events, files, bytes } = imported;
      if (json === true) console.line(JSON.stringify(imported));
      else console.line(`run ${runId}  ${events} events, ${files} files, ${formatBytes(bytes)}`);
    });
}
