import type { Client, Run } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { actOnRuns } from '../remote/act-on-runs.js';
import { findRun } from '../remote/find-run.js';
import { createWaitNote, exitCodeOfWait, type Goal, waitForState } from '../remote/wait-for-state.js';
import { examples } from '../examples.js';
import { calledAs, parseInteger } from '../parse-arguments.js';

interface LifecycleOptions extends ConnectOptions {
  readonly now?: boolean;
  readonly acceptPlugins?: boolean;
  readonly wait?: boolean;
}
interface LifecycleAction {
  readonly verb: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  /** where `--wait` waits for the run */
  readonly goal: Goal;
}
type Act = (client: Client, id: string, options: LifecycleOptions) => Promise<Run>;

/** Adds `espalier run pause`, `resume`, `cancel` and `priority`. */
export function addRunLifecycle(run: Command, context: CommandContext): void {
  const pause = { verb: 'pause', description: 'let a run save and stop', goal: 'stopped' } as const;
  add(run, context, pause, ({ runs }, id) => runs.pause(id)).addHelpText(
    'after',
    examples(
      ['run pause bandit-grpo', 'saves the last completed step; `run resume` continues, bit for bit'],
      ['run pause bandit-grpo --wait', 'the same, and waits until it has stopped'],
    ),
  );
  const resume = {
    verb: 'resume',
    description: 'requeue a stopped run; it resumes from its newest checkpoint',
    goal: 'running',
  } as const;
  add(run, context, resume, ({ runs }, id, { acceptPlugins }) =>
    runs.resume(id, { acceptPlugins: acceptPlugins === true }),
  )
    .option('--accept-plugins', 'though its plugins are not those it was made with')
    .addHelpText(
      'after',
      examples(
        ['run resume bandit-grpo', 'it waits for a device, then resumes'],
        ['run resume bandit-grpo --wait', 'the same, and waits until it is running'],
      ),
    );
  const cancel = { verb: 'cancel', description: 'end a run; it saves first', goal: 'stopped' } as const;
  add(run, context, cancel, ({ runs }, id, { now }) => runs.cancel(id, { now: now === true }))
    .option('--now', 'end its process at once, without a save')
    .addHelpText('after', examples(['run cancel bandit-grpo --now', 'at once; the newest checkpoint stays']));
  const parsePriority = parseInteger('priority', -100, 100);
  withConnection(run.command('priority <run> <n>'))
    .description('change how early a run is scheduled: -100 to 100, higher first')
    .addHelpText('after', examples(['run priority bandit-grpo 10', 'before all others of less']))
    .action(async (word: string, priority: string, options: ConnectOptions) => {
      const client = connect(options);
      const found = await client.runs.edit(await findRun(client, word), {
        priority: parsePriority(priority),
      });
      print(context, found, options, `priority ${found.priority}`);
    });
}

const waitText: Readonly<Record<Goal, string>> = {
  stopped: 'wait until it has stopped; Ctrl-C ends only the waiting',
  running: 'wait until it runs; Ctrl-C ends only the waiting',
};

function add(
  run: Command,
  context: CommandContext,
  { verb, description, goal }: LifecycleAction,
  act: Act,
): Command {
  return withConnection(run.command(`${verb} <run...>`))
    .description(description)
    .option('--wait', waitText[goal])
    .action(async (runs: string[], options: LifecycleOptions) => {
      const client = connect(options);
      const [word = ''] = runs;
      if (runs.length > 1) {
        if (options.wait === true)
          throw new AppError('cli.usage', `${verb} ${runs.length} runs: --wait is for one run; leave it out`);
        const { now = false, acceptPlugins = false } = options;
        return actOnRuns(client, context, runs, { action: verb, now, acceptPlugins }, options);
      }
      const found = await act(client, await findRun(client, word), options);
      if (options.wait !== true) return print(context, found, options, found.state);
      const { console, finish } = context;
      const reached = await waitForState(client, found, goal, createWaitNote(console, options.json === true));
      finish(exitCodeOfWait(goal, reached?.state));
      if (reached !== undefined) return print(context, reached, options, reached.state);
      console.note(`no longer waiting; the request stands: ${calledAs()} run show ${found.id}`);
    });
}

function print({ console }: CommandContext, run: Run, { json }: ConnectOptions, said: string): void {
  console.line(json === true ? JSON.stringify(run) : `run ${run.id}  ${run.name}  ${said}`);
}
