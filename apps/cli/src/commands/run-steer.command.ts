import type { Client, Run } from '@espalier/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../control/connect.js';
import { findRun } from '../control/find-run.js';
import { examples } from '../examples.js';
import { parseInteger } from '../parse-arguments.js';

interface SteerOptions extends ConnectOptions {
  readonly now?: boolean;
}
type Act = (client: Client, id: string, options: SteerOptions) => Promise<Run>;

/** Adds `espalier run pause`, `resume`, `cancel` and `priority`. */
export function addRunSteering(run: Command, context: CommandContext): void {
  add(run, context, 'pause', 'let a run save and stop', ({ runs }, id) => runs.pause(id)).addHelpText(
    'after',
    examples([
      'run pause bandit-grpo',
      'its last completed step is saved; `run resume` goes on, bit for bit',
    ]),
  );
  add(run, context, 'resume', 'let a run at rest go on from its newest checkpoint', ({ runs }, id) =>
    runs.resume(id),
  ).addHelpText('after', examples(['run resume bandit-grpo', 'it waits for a place, then goes on']));
  add(run, context, 'cancel', 'end a run; it saves first', ({ runs }, id, { now }) =>
    runs.cancel(id, { now: now === true }),
  )
    .option('--now', 'end its process at once, without a save')
    .addHelpText('after', examples(['run cancel bandit-grpo --now', 'at once; the newest checkpoint stays']));
  const isPriority = parseInteger('priority', -100, 100);
  withConnection(run.command('priority <run> <n>'))
    .description('change how early a run is placed: -100 to 100, higher first')
    .addHelpText('after', examples(['run priority bandit-grpo 10', 'before all others of less']))
    .action(async (word: string, priority: string, options: ConnectOptions) => {
      const client = connect(options);
      const found = await client.runs.setPriority(await findRun(client, word), isPriority(priority));
      print(context, found, options, `priority ${found.priority}`);
    });
}

function add(run: Command, context: CommandContext, verb: string, does: string, act: Act): Command {
  return withConnection(run.command(`${verb} <run>`))
    .description(does)
    .action(async (word: string, options: SteerOptions) => {
      const client = connect(options);
      const found = await act(client, await findRun(client, word), options);
      print(context, found, options, found.state);
    });
}

function print({ console }: CommandContext, run: Run, { json }: ConnectOptions, said: string): void {
  console.line(json === true ? JSON.stringify(run) : `run ${run.id}  ${run.name}  ${said}`);
}
