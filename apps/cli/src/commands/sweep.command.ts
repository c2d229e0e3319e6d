import { availableParallelism } from 'node:os';
import { loadConfig } from '@espalier/config';
import { loadSweep, type Sweep } from '@espalier/config/sweep';
import { AppError } from '@espalier/contracts';
import { requestedThreads } from '@espalier/contracts/values';
import { createFolderLock } from '@espalier/files';
import { changedOptions, type JobCounts, stateOf } from '@espalier/sweep';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { exitCodes } from '../exit-codes.js';
import { requireKind } from '../local/config-kind.js';
import { requireUsable } from '../local/run-folder.js';
import { calledAs, collect, parseCount, parseDuration, parseSeeds, quoteWord } from '../parse-arguments.js';
import type { ConnectOptions } from '../remote/connect.js';
import { listenForStop } from '../remote/stop-request.js';
import { planLines } from '../sweep/plan-lines.js';
import { planRuns, planVariants, requireBudget, type RunPlan } from '../sweep/plan-sweep.js';
import { resumeWords } from '../sweep/resume-words.js';
import { runLocalSweep } from '../sweep/run-sweep.js';
import { runServerSweep } from '../sweep/server-sweep.js';
import {
  chooseVariants,
  defaultSweepFolder,
  listSweepRuns,
  openSweepLedger,
  readSweepState,
  type SweepLedger,
  type SweepRecord,
  type SweepRun,
  type SweepState,
} from '../sweep/sweep-runs.js';

interface SweepOptions extends ConnectOptions {
  readonly set: readonly string[];
  readonly only: readonly string[];
  readonly seeds?: readonly number[];
  readonly concurrency: number;
  readonly threads?: number;
  readonly budget?: number;
  readonly out?: string;
  readonly plan?: boolean;
}

/** Each is a run in a folder of its own. */
function parseOwnSeeds(text: string): number[] {
  const seeds = [...parseSeeds(text)];
  if (new Set(seeds).size < seeds.length)
    throw new AppError('cli.usage', `sweep --seeds ${text}: expected each seed once`);
  return seeds;
}

const commas = (text: string, earlier: readonly string[]): string[] => [
  ...earlier,
  ...text.split(',').filter((word) => word !== ''),
];

/** Adds `espalier sweep`. */
export function addSweepCommand(program: Command, context: CommandContext): void {
  program
    .command('sweep <file>')
    .description('train a family of runs: variants or a grid of options, each with several seeds')
    .option('--set <path=value>', 'change an option of every run; repeatable', collect, [])
    .option(
      '--only <names>',
      'only these variants, by name or by a value of the grid; repeatable',
      commas,
      [],
    )
    .option('--seeds <list>', 'instead of those of the file, e.g. 1,2 or 1..3', parseOwnSeeds)
    .option('--concurrency <n>', 'runs at the same time', parseCount('--concurrency', 1), 1)
    .option(
      '--threads <n>',
      'most threads of each run; a smaller device.threads stays (default: the cores, shared out)',
      parseCount('--threads', 1),
    )
    .option(
      '--budget <time>',
      'refuse if more processor time is predicted, e.g. 90m or 3h (default: that of the file)',
      parseDuration('--budget'),
    )
    .option('--out <folder>', 'folder of the sweep and its runs (default: runs/sweeps/<name>)')
    .option('--plan', 'show the runs and what they will cost; train nothing')
    .option('--server <url>', 'queue the runs on a server and follow them, instead of training here')
    .option('--key <secret>', 'API key of the server (default: ESPALIER_KEY, as for `run create`)')
    .option('--json', 'print one JSON object: the plan, or the state at the end')
    .addHelpText(
      'after',
      `\nEvery run has a folder of its own, as of \`train\`. Ctrl-C saves the running ones; the same command resumes them and\n` +
        `does not repeat those that have finished. A run that fails or collapses is recorded, and the rest go on.\n` +
        examples(
          ['sweep config/recipes/online-k.yaml --plan', 'what it would train, and how long that takes'],
          ['sweep config/recipes/online-k.yaml --concurrency 2 --budget 3h', 'two runs at a time'],
          ['sweep config/recipes/online-k.yaml --only epochs-1,epochs-5 --seeds 1,2', 'a part of it'],
          ['report config/recipes/online-k.yaml', 'what came out'],
        ),
    )
    .action(async (file: string, options: SweepOptions) =>
      context.finish(await sweep(file, options, context.console)),
    );
}

async function sweep(file: string, options: SweepOptions, console: Console): Promise<number> {
  const { set, only, json, out: named, server } = options;
  const taken = set.find((one) => /^(?:seed|name)\s*=/.test(one));
  if (taken !== undefined)
    throw new AppError('cli.usage', `sweep --set ${taken}: the sweep gives each run its own; use --seeds`);
  const input = loadConfig(file);
  requireKind(input, 'sweep');
  const found = loadSweep(file, set, input);
  const variants = chooseVariants(found, only);
  const out = named ?? defaultSweepFolder(found.name);
  const runs = listSweepRuns(variants, options.seeds ?? found.spec.seeds, out);
  const threads = options.threads ?? sharedThreads(options.concurrency);
  requireUsable(out);
  requireSameRequests(found, runs, server === undefined ? undefined : readSweepState(out));
  const plans = planRuns(runs, await planVariants(variants, { threads, isTimed: true, console }));
  const budget = options.budget ?? budgetOf(found);
  if (options.plan === true && json === true)
    console.line(JSON.stringify({ name: found.name, folder: out, runs: plans.map(describePlan) }));
  else
    for (const line of planLines(found, plans, options.concurrency))
      if (options.plan === true) console.line(line);
      else console.note(line);
  if (budget !== undefined) requireBudget(found.name, plans, budget);
  if (options.plan === true) return exitCodes.ok;
  return run(found, { runs, plans, out, threads }, options, console);
}

interface Prepared {
  readonly runs: readonly SweepRun[];
  readonly plans: readonly RunPlan[];
  readonly out: string;
  readonly threads: number | undefined;
}

async function run(
  found: Sweep,
  { runs, plans, out, threads }: Prepared,
  options: SweepOptions,
  console: Console,
): Promise<number> {
  const { set, server, concurrency } = options;
  const lock = createFolderLock(out, 'sweep', 'cli.sweep_in_use');
  const stop = listenForStop();
  const said =
    server === undefined
      ? 'stopping: runs under way save first; Ctrl-C again ends this command at once'
      : 'no longer following; the runs stay on the server';
  stop.signal.addEventListener('abort', () => console.note(said));
  try {
    const { name, file, spec } = found;
    const head = { name, file, spec, set, ...(server === undefined ? {} : { server }) };
    const ledger = openSweepLedger(out, head, runs);
    const common = { ledger, signal: stop.signal, say: (line: string) => console.note(line) };
    const counts =
      server === undefined
        ? await runLocalSweep(runs, { ...common, plans, concurrency, threads })
        : await runServerSweep(runs, { ...common, connection: options });
    return finish(found, { counts, ledger, runs, out, options }, console);
  } finally {
    stop.dispose();
    lock.release();
  }
}

function finish(
  { file }: Sweep,
  parts: {
    readonly counts: JobCounts;
    readonly ledger: SweepLedger;
    readonly runs: readonly SweepRun[];
    readonly out: string;
    readonly options: SweepOptions;
  },
  console: Console,
): number {
  const { counts, ledger, runs, out, options } = parts;
  const ended = runs.flatMap((run) => ledger.recordOf(run) ?? []);
  if (options.json === true) console.line(JSON.stringify({ folder: out, ...ledger.state, runs: ended }));
  else {
    for (const line of endLines(ended, counts, options.server !== undefined)) console.line(line);
    console.line(`folder: ${out}`);
    if (counts.stopped > 0) console.line(`resume with: ${calledAs()} ${resumeWords(file, options)}`);
    else console.line(`report: ${calledAs()} report ${quoteWord(out)}`);
  }
  if (counts.failed > 0) return exitCodes.failed;
  return counts.stopped > 0 ? exitCodes.temporary : exitCodes.ok;
}

/** The runs that did not go to their end, then how many of each there are. */
export function endLines(records: readonly SweepRecord[], counts: JobCounts, isOnServer: boolean): string[] {
  const left = records.filter(({ state }) => state === 'waiting' || state === 'running').length;
  const parts = [
    `${counts.finished} ended`,
    `${counts.stopped - left} stopped`,
    ...(left === 0 ? [] : [`${left} ${isOnServer ? 'still on the server' : 'not begun'}`]),
    `${counts.failed} failed`,
  ];
  return [
    ...records
      .filter(({ state }) => state !== 'finished' && state !== 'waiting')
      .map(({ name, state, message }) => `${name}: ${state}${message === undefined ? '' : `: ${message}`}`),
    parts.join(', '),
  ];
}

const describePlan = ({ run, steps, seconds, processorSeconds }: RunPlan) => ({
  name: run.name,
  variant: run.variant,
  seed: run.seed,
  state: stateOf(run),
  steps,
  ...(seconds === undefined ? {} : { seconds, processorSeconds }),
});

/** @throws cli.usage */
const budgetOf = ({ spec }: Sweep): number | undefined =>
  spec.budget === undefined ? undefined : parseDuration('budget')(spec.budget);

/** Several runs at once share the cores; a single one takes what `train` takes. */
function sharedThreads(concurrency: number): number | undefined {
  if (concurrency === 1 || requestedThreads(process.env) !== undefined) return undefined;
  return Math.max(1, Math.floor(availableParallelism() / concurrency));
}

/**
 * A folder holds the runs of one request; only their number of steps may grow, and on a server not even that.
 *
 * @param onServer what was queued there
 * @throws cli.sweep_changed
 */
function requireSameRequests(
  { name }: Sweep,
  runs: readonly SweepRun[],
  onServer: SweepState | undefined,
): void {
  const queued = new Map(onServer?.runs.map((record) => [record.name, record]));
  const changed = runs.flatMap((run) => {
    const record = queued.get(run.name);
    const others = record?.runId === undefined ? [] : symmetricDifference(run.overrides, record.overrides);
    const options = stateOf(run) === 'changed' ? changedOptions(run) : others;
    return options.length === 0 ? [] : [{ run, options }];
  });
  const [first] = changed;
  if (first === undefined) return;
  throw new AppError(
    'cli.sweep_changed',
    `start sweep ${name}: ${changed.length} of its runs were begun with other options (${first.run.folder}: ${first.options.join(', ')}); choose another folder with --out, or delete those runs`,
    { details: { runs: changed.map(({ run }) => run.folder) } },
  );
}

const symmetricDifference = (one: readonly string[], other: readonly string[]): string[] => [
  ...one.filter((word) => !other.includes(word)),
  ...other.filter((word) => !one.includes(word)),
];
