import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { examples } from '../examples.js';
import { addRunCheckpoints } from './run-checkpoints.command.js';
import { addRunCompare } from './run-compare.command.js';
import { addRunCreate } from './run-create.command.js';
import { addRunAnnotations } from './run-annotations.command.js';
import { addRunImport } from './run-import.command.js';
import { addRunForks } from './run-fork.command.js';
import { addRunList } from './run-list.command.js';
import { addRunLogs } from './run-logs.command.js';
import { addRunOpen } from './run-open.command.js';
import { addRunShow } from './run-show.command.js';
import { addRunLifecycle } from './run-lifecycle.command.js';
import { addRunWatch } from './run-watch.command.js';

/** Adds `espalier run …`: what is done with the runs of a server. */
export function addRunCommand(program: Command, context: CommandContext): void {
  const run = program
    .command('run')
    .description('start, steer and watch runs of a server')
    .addHelpText(
      'after',
      `\nA <run> is an id, the beginning of one, or a name or title that only one run has.\n` +
        examples(
          ['run create config/runs/bandit-starpo-s.yaml --watch', 'starts a run and shows it live'],
          ['run list --state running', 'what is under way'],
          ['run pause bandit-starpo-s', 'saves and stops; `run resume` continues, bit for bit'],
        ),
    );
  addRunCreate(run, context);
  addRunList(run, context);
  addRunShow(run, context);
  addRunOpen(run, context);
  addRunWatch(run, context);
  addRunLogs(run, context);
  addRunLifecycle(run, context);
  addRunForks(run, context);
  addRunCheckpoints(run, context);
  addRunCompare(run, context);
  addRunImport(run, context);
  addRunAnnotations(run, context);
}
