import { setTimeout } from 'node:timers/promises';
import type { Client, CreateRunInput, Run } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { clean, type Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { namingFile, readConfig } from '../remote/read-config.js';
import { printPlan } from '../remote/print-plan.js';
import { watchRun, whyItWaits } from '../remote/watch-run.js';
import { examples } from '../examples.js';
import { calledAs, collect, parseCount, parseInteger } from '../parse-arguments.js';

/** What a new run may be given, from a configuration or from a checkpoint. */
export interface NewRunOptions extends ConnectOptions {
  readonly set: readonly string[];
  readonly name?: string;
  readonly priority?: number;
  readonly tag: readonly string[];
  readonly group?: string;
  readonly note?: string;
  readonly gpus?: number;
  readonly watch?: boolean;
  readonly dryRun?: boolean;
}

interface CreateOptions extends NewRunOptions {
  readonly project?: string;
}

/** Adds `espalier run create`. */
export function addRunCreate(run: Command, context: CommandContext): void {
  withConnection(withNewRun(run.command('create <config>'), fromConfig))
    .description('make a run from a configuration file and queue it')
    .option('--project <name>', 'project it belongs to (default: the first of the key, or `default`)')
    .addHelpText(
      'after',
      examples(
        ['run create config/runs/bandit-starpo-s.yaml --watch', 'starts it and shows it live'],
        [
          'run create config/runs/sokoban-ppo.yaml --set seed=2 --tag sweep --priority 5',
          'one of several seeds',
        ],
        [
          'run create my-run.yaml --set device.provider=cuda',
          'waits for a worker with a GPU, and trains on it',
        ],
        ['run create my-run.yaml --dry-run --json', 'every option with its source'],
      ),
    )
    .action(async (config: string, options: CreateOptions) =>
      context.finish(await create(config, options, context.console)),
    );
}

/** What a new run has unless an option says otherwise. */
export interface NewRunDefaults {
  readonly name: string;
  readonly gpus: string;
}

const fromConfig: NewRunDefaults = {
  name: 'that of the configuration',
  gpus: 'one with device.provider=cuda, else none',
};

/** Adds the options that every new run takes. */
export function withNewRun(command: Command, { name, gpus }: NewRunDefaults): Command {
  return command
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--name <name>', `name for people (default: ${name})`)
    .option('--priority <n>', 'higher is scheduled first, -100 to 100', parseInteger('--priority', -100, 100))
    .option('--tag <tag>', 'label for finding it again; repeatable', collect, [])
    .option('--group <name>', 'what it belongs to, such as a sweep; `run list --group` finds its runs')
    .option('--note <text>', 'anything worth remembering about it')
    .option('--gpus <n>', `GPUs it needs (default: ${gpus})`, parseCount('--gpus', 1))
    .option('--watch', 'show it live until it ends; Ctrl-C leaves it alone')
    .option('--dry-run', 'only check and resolve it; makes nothing');
}

/** Converts these options to the server's input. */
export function labelsOf({ name, priority, tag, group, note, gpus }: NewRunOptions) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(priority === undefined ? {} : { priority }),
    ...(group === undefined ? {} : { group }),
    ...(note === undefined ? {} : { note }),
    ...(gpus === undefined ? {} : { needs: { kind: 'gpu' as const, count: gpus } }),
    tags: [...tag],
  };
}

async function create(config: string, options: CreateOptions, console: Console): Promise<number> {
  const client = connect(options);
  const { source, overrides } = readConfig(config, options.set);
  const input: CreateRunInput = {
    source,
    overrides: [...overrides],
    ...labelsOf(options),
    ...(options.project === undefined ? {} : { project: options.project }),
  };
  if (options.dryRun === true) {
    printPlan(await namingFile(config, () => client.runs.plan(input)), options, console);
    return 0;
  }
  const run = await namingFile(config, () => client.runs.create(input));
  if (options.json === true) console.line(JSON.stringify(run));
  else console.line(`run ${run.id}  ${run.name}  ${run.state}`);
  if (options.watch === true) return watchRun(client, run.id, options, console);
  if (options.json === true) return 0;
  await printWarnings(client, run, console);
  await printWaitReason(client, run.id, console);
  console.line(console.colors.dim(`watch it: ${calledAs()} run watch ${run.id}`));
  return 0;
}

/** Says what may go wrong with a run that was just made. */
export async function printWarnings(client: Client, { id, warnings }: Run, console: Console): Promise<void> {
  if (warnings === 0) return;
  const response = await client.rest(`/api/v1/alerts?runId=${id}`);
  const { items } = (await response.json()) as { items: readonly { message: string }[] };
  for (const { message } of items) console.line(console.colors.yellow(`  ${clean(message)}`));
}

/** How often and at which distance is looked whether a run has begun. */
const looks = { times: 4, pauseMs: 150 } as const;

/** Says why a run has not begun, unless it does at once. */
export async function printWaitReason(client: Client, runId: string, console: Console): Promise<void> {
  for (let look = 1; ; look += 1) {
    await setTimeout(looks.pauseMs);
    const run = await client.runs.get(runId);
    if (run.state !== 'queued') return;
    const why = whyItWaits(run);
    if (look === looks.times && why !== undefined) console.line(`  it waits: ${clean(why)}`);
    if (look === looks.times) return;
  }
}
