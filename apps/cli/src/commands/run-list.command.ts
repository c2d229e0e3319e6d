import type { Client, Run, RunFilter } from '@espalier/client';
import { type JobState, jobStates } from '@espalier/protocol';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { type Paced, presentAttempt, runTable } from '../remote/run-table.js';
import { examples } from '../examples.js';
import { calledAs, parseCount } from '../parse-arguments.js';

interface ListOptions extends ConnectOptions {
  readonly state?: readonly JobState[];
  readonly project?: string;
  readonly tag?: string;
  readonly group?: string;
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
    .option('--group <name>', 'only of this group')
    .option('--search <words>', 'only with all these words in name, note, tags, group, plugins or model')
    .option('--limit <n>', 'maximum number of runs to show', parseCount('--limit', 1), 20)
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
  const { state, project, tag, group, search, limit, json } = options;
  const filter: RunFilter = {
    ...(state === undefined ? {} : { states: [...state] }),
    ...(project === undefined ? {} : { project }),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(search === undefined ? {} : { text: search }),
  };
  const runs: Run[] = [];
  let hasMore = false;
  const client = connect(options);
  for await (const run of client.runs.all(filter)) {
    if (runs.length === limit) {
      hasMore = true;
      break;
    }
    runs.push(run);
  }
  if (json === true) return runs.forEach((run) => console.line(JSON.stringify(run)));
  if (runs.length === 0)
    return console.note(
      Object.keys(filter).length > 0
        ? `no such runs; \`${calledAs()} run list\` shows all`
        : `no runs; \`${calledAs()} run create <config>\` makes one`,
    );
  const present = await findPresent(client, runs);
  for (const line of runTable(runs, Date.now(), console.colors, present)) console.line(line);
  if (hasMore) console.note(`more: --limit ${limit * 5}`);
}

/** Running runs whose pace is looked up; more are not watched by a person. */
const maxPaced = 50;

/** What trains now, for the time left. A run that is gone meanwhile has none. */
async function findPresent(
  client: Pick<Client, 'runs'>,
  runs: readonly Run[],
): Promise<Map<string, Paced | undefined>> {
  const running = runs.filter(({ state }) => state === 'running').slice(0, maxPaced);
  const find = async ({ id }: Run) =>
    [id, await client.runs.get(id).then(presentAttempt, () => undefined)] as const;
  return new Map(await Promise.all(running.map(find)));
}
