/** @file `espalier alerts list|ack|assign`: the alerts of all runs of a server, and who looks after them. */
import type { Client } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import { type RuleName, ruleNames } from '@espalier/contracts/health';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { examples } from '../examples.js';
import { calledAs, parseCount } from '../parse-arguments.js';
import { type Alert, alertTable } from '../remote/alert-table.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findAlerts } from '../remote/find-alerts.js';
import { findRun } from '../remote/find-run.js';
import { displayName } from '../remote/run-table.js';

type Filter = NonNullable<Parameters<Client['overview']['alerts']>[0]>;

interface ListOptions extends ConnectOptions {
  readonly open?: boolean;
  readonly run?: string;
  readonly rule?: RuleName;
  readonly severity?: Alert['severity'];
  readonly project?: string;
  readonly assignee?: string;
  readonly nobody?: boolean;
  readonly limit: number;
}

interface AssignOptions extends ConnectOptions {
  readonly nobody?: boolean;
}

/** Pages of the server, and as many as it acknowledges or names at once. */
const pageSize = { alerts: 200, names: 100 } as const;

/** Adds `espalier alerts`. */
export function addAlertsCommand(program: Command, { console }: CommandContext): void {
  const alerts = program
    .command('alerts')
    .description('alerts of all runs: list, acknowledge, assign (docs/use/verdicts.md)');
  addList(alerts, console);
  withConnection(alerts.command('ack <alert...>'))
    .description('acknowledge alerts by their ids, or the beginnings of ids, all or none')
    .addHelpText('after', examples(['alerts ack alert-01jd3x4e7k-8w2n5t0qzv', 'it is open no longer']))
    .action(async (words: string[], options: ConnectOptions) => {
      const client = connect(options);
      const found = await findAlerts(client, words, 'acknowledge');
      await client.overview.acknowledgeAll(found.map(({ id }) => id));
      tell(console, found, 'acknowledged', options);
    });
  withConnection(alerts.command('assign <words...>'))
    .usage('[options] <alert...> <name>')
    .description('say who looks after alerts: the name of an operator or admin key, behind the ids')
    .option('--nobody', 'nobody, in place of a name')
    .addHelpText(
      'after',
      examples(
        ['alerts assign alert-01jd3x4e7k-8w2n5t0qzv ann', 'the key named ann'],
        ['alerts assign alert-01jd3x4e7k-8w2n5t0qzv --nobody', 'nobody any more'],
      ),
    )
    .action(async (words: string[], options: AssignOptions) => assign(words, options, console));
}

function addList(alerts: Command, console: Console): void {
  withConnection(alerts.command('list', { isDefault: true }))
    .description('list alerts, newest first: run, step, age, who looks after each, what was found')
    .option('--open', 'only those that nobody has acknowledged')
    .option('--run <run>', 'only of this run')
    .addOption(
      new Option('--rule <name>', 'only where this rule of the collapse monitor fired').choices(ruleNames),
    )
    .addOption(new Option('--severity <severity>', 'only these').choices(['error', 'warning', 'info']))
    .option('--project <name>', 'only of this project')
    .option('--assignee <name>', 'only those that the key of this name looks after')
    .addOption(new Option('--nobody', 'only those that nobody looks after').conflicts('assignee'))
    .option('--limit <n>', 'maximum number of alerts to show', parseCount('--limit', 1), 20)
    .addHelpText(
      'after',
      examples(
        ['alerts --open', 'what waits for somebody'],
        ['alerts list --run bandit-grpo --rule entropy-fall', 'one rule in one run'],
        ['alerts --assignee ann --limit 1000 --json', 'one object per line, for a program'],
      ),
    )
    .action(async (options: ListOptions) => list(options, console));
}

async function list(options: ListOptions, console: Console): Promise<void> {
  const client = connect(options);
  const { open, run, rule, severity, project, assignee, nobody, limit } = options;
  const filter: Filter = {
    ...(open === true ? { open } : {}),
    ...(run === undefined ? {} : { runId: await findRun(client, run) }),
    ...(rule === undefined ? {} : { rule }),
    ...(severity === undefined ? {} : { severity }),
    ...(project === undefined ? {} : { project }),
    ...(assignee === undefined ? {} : { assignee }),
    ...(nobody === true ? { assigned: false } : {}),
  };
  const found: Alert[] = [];
  let after: string | null = null;
  do {
    const first: number = Math.min(pageSize.alerts, limit - found.length);
    const page: Awaited<ReturnType<Client['overview']['alerts']>> = await client.overview.alerts(filter, {
      first,
      after,
    });
    found.push(...page.items);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && found.length < limit);
  if (options.json === true) return found.forEach((alert) => console.line(JSON.stringify(alert)));
  if (found.length === 0)
    return console.note(
      Object.keys(filter).length > 0 ? `no such alerts; \`${calledAs()} alerts\` shows all` : 'no alerts',
    );
  const width = console.isInteractive ? console.columns() : undefined;
  const names = await nameRuns(client, found);
  for (const line of alertTable(found, names, Date.now(), console.colors, width)) console.line(line);
  if (after !== null) console.note(`more: --limit ${limit * 5}`);
}

/** What people call the runs of alerts, by id; a run that is gone meanwhile has no name. */
async function nameRuns(client: Client, alerts: readonly Alert[]): Promise<Map<string, string>> {
  const ids = [...new Set(alerts.map(({ runId }) => runId))];
  const names = new Map<string, string>();
  for (let at = 0; at < ids.length; at += pageSize.names) {
    const part = ids.slice(at, at + pageSize.names);
    const { items } = await client.runs.list({ ids: part }, { first: pageSize.names });
    for (const run of items) names.set(run.id, displayName(run));
  }
  return names;
}

async function assign(words: readonly string[], options: AssignOptions, console: Console): Promise<void> {
  const name = options.nobody === true ? undefined : words.at(-1);
  const ids = name === undefined ? words : words.slice(0, -1);
  if (ids.length === 0)
    throw new AppError(
      'cli.usage',
      `assign alerts: expected ids of alerts and behind them the name of a key, found only "${name ?? ''}"; write \`espalier alerts assign ALERT… NAME\`, or --nobody in place of the name`,
    );
  const client = connect(options);
  const found = await findAlerts(client, ids, 'assign');
  // all names are looked up before anything is assigned
  const keys = new Map<string, string | null>();
  for (const project of new Set(found.map((alert) => alert.project)))
    keys.set(project, name === undefined ? null : await findAssignee(client, project, name));
  for (const { id, project } of found) await client.overview.assign(id, keys.get(project) ?? null);
  tell(console, found, name === undefined ? 'assigned to nobody' : `assigned to ${clean(name)}`, options);
}

/** @throws cli.usage */
async function findAssignee(client: Client, project: string, name: string): Promise<string> {
  const assignees = await client.overview.assignees(project);
  const found = assignees.filter((key) => key.name === name || key.keyId === name);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only.keyId;
  const known = [...new Set(assignees.map((key) => clean(key.name)))].join(', ');
  throw new AppError(
    'cli.usage',
    found.length > 1
      ? `assign alerts to "${name}": ${found.length} keys of this name may act in project ${project}; give one of their ids: ${found.map(({ keyId }) => keyId).join(', ')}`
      : `assign alerts to "${name}": no operator or admin key of this name may act in project ${project}; expected ${known === '' ? 'one that sees it; `espalier key create` makes one' : `one of ${known}`}`,
  );
}

function tell(
  console: Console,
  alerts: readonly Alert[],
  what: string,
  { json }: Pick<ConnectOptions, 'json'>,
): void {
  for (const { id, message } of alerts)
    console.line(json === true ? JSON.stringify({ id, done: what }) : `${id}  ${what}  ${clean(message)}`);
}
