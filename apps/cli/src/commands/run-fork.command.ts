import { AppError } from '@espalier/contracts';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { connect, type ConnectOptions, withConnection } from '../remote/connect.js';
import { findRun, parseCheckpoint } from '../remote/find-run.js';
import { printPlan } from '../remote/print-plan.js';
import { printJob } from '../remote/print-job.js';
import { watchRun } from '../remote/watch-run.js';
import { examples } from '../examples.js';
import { parseCount } from '../parse-arguments.js';
import { parseReward, rewardOption, stepsOption } from '../rescore/rescore-options.js';
import {
  labelsOf,
  type NewRunOptions,
  printWaitReason,
  printWarnings,
  withNewRun,
} from './run-create.command.js';

interface ForkOptions extends NewRunOptions {
  readonly continue?: boolean;
  readonly twin?: boolean;
}

interface EvaluateOptions extends ConnectOptions {
  readonly episodes?: number;
  readonly split?: 'validation' | 'test';
  readonly wait?: boolean;
}

interface RescoreOptions extends ConnectOptions {
  readonly reward: readonly string[];
  readonly logprobs?: boolean;
  readonly steps?: readonly number[];
  readonly wait?: boolean;
}

/** Adds `espalier run fork`, `run evaluate` and `run rescore`: what is done with what a run has stored. */
export function addRunForks(run: Command, context: CommandContext): void {
  const ofParent = { name: '"<its parent> from <step>"', gpus: 'what its parent needs' };
  withConnection(withNewRun(run.command('fork <run[@step]>'), ofParent))
    .description('make a run that begins from a checkpoint of another, with changed settings')
    .option(
      '--continue',
      'go on with everything the checkpoint holds (moments, critic, counters, monitor), not with the weights only',
    )
    .option('--twin', 'with --continue: queue the unchanged fork as well, which has to repeat its parent')
    .addHelpText(
      'after',
      examples(
        ['run fork bandit-grpo@20 --set optimizer.learningRate=1e-4', 'from step 20, with a smaller step'],
        [
          'run fork bandit-grpo@20 --continue --twin --set algorithm.clipHigh=0.3',
          'goes on with one setting changed, beside an unchanged twin',
        ],
        ['run fork bandit-grpo --set steps=50 --watch', 'from the newest checkpoint, shown live'],
        ['run fork bandit-grpo --set steps=50 --dry-run', 'where it would begin, and what differs'],
      ),
    )
    .action(async (from: string, options: ForkOptions) =>
      context.finish(await fork(from, options, context.console)),
    );
  withConnection(run.command('evaluate <run[@step]>'))
    .description('measure success of a checkpoint on fixed states')
    .option('--episodes <n>', 'initial states to play (default: 128)', parseCount('--episodes', 1))
    .addOption(new Option('--split <split>', 'which states (default: test)').choices(['validation', 'test']))
    .option('--wait', 'wait for the result and print it')
    .addHelpText(
      'after',
      examples(['run evaluate bandit-grpo@20 --episodes 512 --wait', 'success of step 20']),
    )
    .action(async (from: string, options: EvaluateOptions) =>
      context.finish(await evaluate(from, options, context.console)),
    );
  addRunRescore(run, context);
}

function addRunRescore(run: Command, context: CommandContext): void {
  withConnection(run.command('rescore <run[@step]>'))
    .description('give stored trajectories other rewards, or the log-probabilities of a checkpoint')
    .addOption(rewardOption())
    .option('--logprobs', 'let the checkpoint score every sampled token')
    .addOption(stepsOption())
    .option('--wait', 'wait for the result and print it')
    .addHelpText(
      'after',
      examples(
        [
          'run rescore lake-grpo --reward faithfulness --wait',
          'would this reward have told the members apart?',
        ],
        [
          'run rescore lake-grpo@40 --logprobs --steps 0,20,40 --wait',
          'how far the policy of step 40 is from what sampled them',
        ],
      ),
    )
    .action(async (from: string, options: RescoreOptions) =>
      context.finish(await rescore(from, options, context.console)),
    );
}

async function rescore(from: string, options: RescoreOptions, console: Console): Promise<number> {
  const { run: word, step } = parseCheckpoint(from);
  if (options.reward.length === 0 && options.logprobs !== true)
    throw new AppError('cli.usage', 'run rescore: name a --reward, set --logprobs, or both');
  const client = connect(options);
  const runId = await findRun(client, word);
  const queued = await client.runs.evaluate(runId, {
    ...(step === undefined ? {} : { step }),
    rescore: {
      rewards: options.reward.map((reward) => parseReward(`run rescore --reward ${reward}`, reward)),
      logprobs: options.logprobs === true,
      ...(options.steps === undefined ? {} : { steps: [...options.steps] }),
    },
  });
  return printJob(client, runId, queued, options, console, client.runs.rescored);
}

async function fork(from: string, options: ForkOptions, console: Console): Promise<number> {
  const { run: word, step } = parseCheckpoint(from);
  const client = connect(options);
  const parent = await findRun(client, word);
  const input = {
    ...labelsOf(options),
    overrides: [...options.set],
    ...(step === undefined ? {} : { step }),
    continue: options.continue === true,
  };
  if (options.twin === true && options.continue !== true)
    throw new AppError(
      'cli.usage',
      'run fork --twin: a fork that begins with the weights only cannot repeat its parent; add --continue',
    );
  if (options.dryRun === true) {
    printPlan(await client.runs.planFork(parent, input), options, console);
    return 0;
  }
  const made = await client.runs.fork(parent, { ...input, twin: options.twin === true });
  if (options.json === true) console.line(JSON.stringify(made));
  else console.line(`run ${made.id}  ${made.name}  ${made.state}`);
  if (options.watch === true) return watchRun(client, made.id, options, console);
  if (options.json === true) return 0;
  await printWarnings(client, made, console);
  await printWaitReason(client, made.id, console);
  return 0;
}

async function evaluate(from: string, options: EvaluateOptions, console: Console): Promise<number> {
  const { run: word, step } = parseCheckpoint(from);
  const { episodes, split } = options;
  const client = connect(options);
  const runId = await findRun(client, word);
  const queued = await client.runs.evaluate(runId, {
    ...(step === undefined ? {} : { step }),
    ...(episodes === undefined ? {} : { episodes }),
    ...(split === undefined ? {} : { split }),
  });
  return printJob(client, runId, queued, options, console);
}
