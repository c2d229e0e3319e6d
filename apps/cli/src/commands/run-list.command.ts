import type { Run, RunFilter } from '@espalier/client';
import { type JobState, jobStates } from '@espalier/protocol';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../control/connect.js';
import { runTable } from '../control/run-table.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';

interface ListOptions extends ConnectOptions {
  readonly state?: readonly JobState[];
  readonly project?: string;
  readonly tag?: string;
  readonly search?: string;
  readonly limit: number;
}

/** Adds `espalier run list`. */
export function addRunList(run: Command, context: CommandContext): void {
  withConnection(run.command('list'))
    .description('list runs, newest first: state, steps, success, age, time left')
    .addOption(
      new Option('--state <state...>', 'only in one of these states').choices(Object.keys(jobStates)),
    )
    .option('--project <name>', 'only of this project')
    .option('--tag <tag>', 'only with this tag')
    .option('--search <words>', 'only with all these words in name, note, tags, plugins or model')
    .option('--limit <n>', 'show at most so many', parseCount('--limit', 1), 20)
    .addHelpText(
      'after',
      examples(
        ['run list', 'the twenty newest'],
        ['run list --state running queued --project sweep', 'what is under way in one project'],
        ['run list --search "sokoban grpo" --limit 1000 --json', 'one object per line, for a program'],
      ),
    )
    .action(async (options: ListOptions) => list(options, context.console));
}

async function list(options: ListOptions, console: Console): Promise<void> {
  const { state, project, tag, search, limit, json } = options;
  const filter: RunFilter = {
    ...(state === undefined ? {} : { states: [...state] }),
    ...(project === undefined ? {} : { project }),
    ...(tag === undefined ? {} : { tag }),
    ...(search === undefined ? {} : { text: search }),
  };
  const runs: Run[] = [];
  let hasMore = false;
  for await (const run of connect(options).runs.all(filter)) {
    if (runs.length === limit) {
      hasMore = true;
      break;
    }
    runs.push(run);
  }
  if (json === true) return runs.forEach((run) => console.line(JSON.stringify(run)));
  if (runs.length === 0) return console.note('no runs; `espalier run create <config>` makes one');
  for (const line of runTable(runs, Date.now(), console.colors)) console.line(line);
  if (hasMore) console.note(`more: --limit ${limit * 5}`);
}
