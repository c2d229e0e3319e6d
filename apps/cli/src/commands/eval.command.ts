import type { ConfigInput } from '@espalier/config';
import { AppError, hasCode, type RunSpec } from '@espalier/contracts';
import type { FolderModel } from '@espalier/contracts/model-choice';
import { evaluateModel } from '@espalier/trainer';
import { type Command, Option } from 'commander';
import { resolve } from 'node:path';
import { isAgent } from '../agents/agent-options.js';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { openParts, readReplies } from '../evaluate/kept-parts.js';
import { planTable, sourcesOf } from '../evaluate/plan-table.js';
import { playTable, stopped } from '../evaluate/play-table.js';
import type { TableResult } from '../evaluate/result.js';
import { findSeedRows, joinSeeds } from '../evaluate/seed-entries.js';
import { compareEntries } from '../evaluate/summarize.js';
import { tableLines } from '../evaluate/table-lines.js';
import { examples } from '../examples.js';
import { exitCodeOf } from '../exit-codes.js';
import { createInterrupt } from '../interrupt.js';
import { isolateRun } from '../local/isolate-run.js';
import { openConfigs } from '../local/open-config.js';
import { noteCorrupt, openModel } from '../local/open-model.js';
import { parseModelName, runOf } from '../local/named-model.js';
import { collect, parseAmount, parseCount, parseInteger } from '../parse-arguments.js';
import { isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { requireSamplingDevice } from '../local/require-device.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import { planRun } from '../local/resolve-run.js';
import { createProgressNote } from '../view/progress-note.js';
import { loadRegistry, type Registry } from '../workspace.js';

interface EvalOptions {
  readonly set: string[];
  readonly episodes?: number;
  readonly draws?: number;
  readonly temperature?: number;
  readonly base?: string | undefined;
  readonly split?: 'validation' | 'test';
  readonly keep?: string;
  readonly replay?: string;
  readonly probes?: boolean;
  readonly baselines: boolean;
  readonly json?: boolean;
}

const mostDraws = 1024;

/** Adds `espalier eval`. */
export function addEvalCommand(program: Command, context: CommandContext): void {
  program
    .command('eval <models...>')
    .usage('[options] <model...> [config...]')
    .description(
      'measure models, checkpoints, runs and agents behind an API (api:FILE.yaml, api:MODEL@URL) on fixed validation states: those of the configurations that are named, or of the runs themselves; with several, test whether they differ',
    )
    .option(
      '--episodes <n>',
      'initial states of each environment (default: validation.episodes)',
      parseCount('--episodes', 1),
    )
    .option(
      '--draws <n>',
      'episodes of each state, with seeds of their own; from 2 on pass@k and pass^k (default: 1)',
      parseInteger('--draws', 1, mostDraws),
    )
    .option(
      '--temperature <t>',
      'sampling temperature; 0 = greedy (default: validation.temperature)',
      parseAmount('--temperature'),
    )
    .addOption(
      new Option('--split <split>', 'which fixed states (default: validation)').choices([
        'validation',
        'test',
      ]),
    )
    .option('--keep <file>', 'keep what is played; the same command goes on where it was stopped')
    .option(
      '--replay <file>',
      'take the replies of API agents from a file of --keep and ask nobody; a reply that is not there is an error',
    )
    .option('--probes', 'try whether prompt swap, a repeated phrase or one action earns as much')
    .option('--no-baselines', 'leave out constant action, random and oracle')
    .option('--base <model>', 'what an adapter was trained on (default: what its run recorded)')
    .option('--set <path=value>', 'change an option of the configurations; repeatable', collect, [])
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['eval runs/bandit-starpo-s-1', 'the newest checkpoint of a run, as the run itself validates'],
        ['eval runs/sokoban-ppo-1 seedling --episodes 512', 'what training has gained'],
        ['eval runs/lake-1@20 runs/lake-1@40', 'two checkpoints of a run'],
        ['eval seedling config/runs/frozen-lake-grpo.yaml', 'a model that belongs to no run'],
        ['eval runs/lake-1 runs/sokoban-1 --draws 4 --keep all.jsonl', 'each run in the environments of all'],
        ['eval runs/lake-1 api:agents/large.yaml --keep large.jsonl', 'a run beside a model behind an API'],
      ),
    )
    .action(async (words: string[], options: EvalOptions) => evaluate(words, options, context));
}

const isConfig = (word: string): boolean => !isAgent(word) && /^[^{].*\.(ya?ml|json)$/.test(word);

async function evaluate(
  words: readonly string[],
  options: EvalOptions,
  { console, finish }: CommandContext,
): Promise<void> {
  const configs = words.filter(isConfig);
  const models = words.filter((word) => !isConfig(word));
  const [model] = models;
  if (model === undefined)
    throw new AppError(
      'cli.usage',
      `eval ${words.join(' ')}: names no model; name one before the configuration`,
    );
  if (options.base !== undefined && models.length > 1)
    throw new AppError(
      'cli.usage',
      `eval --base: ${models.length} models are named, and each adapter has its own base; measure one with --base, or write {"path":…,"base":…}`,
    );
  checkAgentWords(models, options);
  const sources = await findSources(models, configs, console);
  const { inputs, registry } = await openConfigs(sources, overridesOf(options), console);
  for (const input of configs.length > 0 ? inputs : [])
    for (const name of models) await noteOtherEnvironment(name, input, registry, console);
  const [input] = inputs;
  const isPlain =
    input !== undefined &&
    models.length === 1 &&
    !isAgent(model) &&
    configs.length <= 1 &&
    options.draws === undefined;
  if (options.json === true && isPlain && options.keep === undefined && options.probes !== true)
    return printEvaluation(model, input, options, registry, console);
  const { result, endings } = await measureTable(models, inputs, options, registry, console);
  if (options.json === true) console.line(JSON.stringify(result));
  else for (const line of tableLines(result)) console.line(line);
  // the table is what was asked for, and standard output has nothing else
  for (const error of endings) console.note(`error ${error.code}: ${endingText(error, options.keep)}`);
  const [first] = endings;
  if (first !== undefined) finish(exitCodeOf(first));
}

function checkAgentWords(models: readonly string[], { base, replay, keep }: EvalOptions): void {
  const agents = models.filter(isAgent);
  if (base !== undefined && agents.length > 0)
    throw new AppError(
      'cli.usage',
      `eval --base: ${agents[0]} is behind an API and has no base; leave it out`,
    );
  if (replay !== undefined && agents.length === 0)
    throw new AppError('cli.usage', 'eval --replay: no API agent is named; name one, or leave it out');
  if (replay !== undefined && keep !== undefined && resolve(replay) === resolve(keep))
    throw new AppError('cli.usage', `eval --replay ${replay}: --keep writes the same file; name another one`);
}

/** What to say below a table that lacks something. */
function endingText({ code, message }: AppError, keep: string | undefined): string {
  if (!code.startsWith('agent.')) return message;
  const raise = code === 'agent.budget_exhausted' ? 'raise its budget and ' : '';
  return keep === undefined
    ? `${message}; the table has what was measured: ${raise}add --keep FILE to go on where it stops`
    : `${message}; the table has what was measured, and ${keep} what was paid for: ${raise}give the same command to go on`;
}

const overridesOf = ({ set, episodes, temperature }: EvalOptions): string[] => [
  ...set,
  ...(episodes === undefined ? [] : [`validation.episodes=${episodes}`]),
  ...(temperature === undefined ? [] : [`validation.temperature=${temperature}`]),
];

/** As {@link sourcesOf}; a word that names no model is the likelier mistake than a missing configuration. */
async function findSources(
  models: readonly string[],
  configs: readonly string[],
  console: Console,
): Promise<ReturnType<typeof sourcesOf>> {
  try {
    return sourcesOf(models, configs);
  } catch (error) {
    const registry = await loadRegistry(console);
    for (const name of models.filter((one) => !isAgent(one) && !one.startsWith('hub:')))
      await openModel(parseModelName(name, registry), registry, console);
    throw error;
  }
}

/** Measures every model in every environment, and tests the differences. */
async function measureTable(
  models: readonly string[],
  inputs: readonly ConfigInput[],
  options: EvalOptions,
  registry: Registry,
  console: Console,
): Promise<{ readonly result: TableResult; readonly endings: readonly AppError[] }> {
  const { split = 'validation', draws = 1, keep, base, baselines, probes = false } = options;
  const table = await planTable({ models, inputs, base, registry, console });
  const { replay: file } = options;
  const replay = file === undefined ? undefined : { file, replies: readReplies(file) };
  const parts = openParts(keep, { split, draws, ...table.plan });
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  const onProgress = createProgressNote(console, 'measuring');
  try {
    const { signal } = interrupt;
    const asked = { registry, parts, split, draws, baselines, probes, signal, replay, onProgress };
    const { entries: played, endings } = await playTable(table, {
      ...asked,
      note: (text) => console.note(text),
    });
    const entries = joinSeeds(played, findSeedRows(models));
    const columns = table.columns.map(({ label, environment, states }) => ({ label, environment, states }));
    const result = { split, draws, columns, entries, tests: compareEntries(entries) };
    return { result, endings };
  } catch (error) {
    if (interrupt.signal.aborted && hasCode(error, 'rollout.cancelled', 'engine.cancelled'))
      throw stopped(keep);
    throw error;
  } finally {
    interrupt.dispose();
    parts.close();
  }
}

/** Says when a run is measured on something else than it was trained on. */
async function noteOtherEnvironment(
  model: string,
  input: ConfigInput,
  registry: Registry,
  console: Console,
): Promise<void> {
  const run = runOf(model);
  if (!isRunFolder(run)) return;
  const environmentsOf = ({ environment, environments }: RunSpec): string =>
    JSON.stringify(environment ?? environments);
  const trained = environmentsOf(readRunSpec(run));
  const { spec } = await planRun(input, [], { registry, console, model: parseModelName(model, registry) });
  const measured = environmentsOf(spec);
  if (trained !== measured)
    console.note(`note: ${model} was trained on ${trained}, and is measured on ${measured}`);
}

/** Prints one model in one configuration with all metrics, for programs. */
async function printEvaluation(
  model: string,
  input: ConfigInput,
  options: EvalOptions,
  registry: Registry,
  console: Console,
): Promise<void> {
  const named = parseModelName(model, registry);
  const base = options.base === undefined ? undefined : parseModelName(options.base, registry);
  const planned = await planRun(input, [], {
    registry,
    console,
    model: base === undefined ? named : ({ ...named, base } as FolderModel),
  });
  const { spec, model: opened } = planned;
  noteCorrupt(opened, console);
  await validatePromptLength(planned, registry);
  await requireSamplingDevice(spec.device);
  const plugins = await isolateRun(spec, registry);
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  const note = createProgressNote(console, 'measuring');
  try {
    const evaluation = await evaluateModel({
      spec,
      registry: plugins,
      folder: opened.folder,
      base: opened.base,
      signal: interrupt.signal,
      ...(options.split === undefined ? {} : { split: options.split }),
      onProgress: (done, total) => note(model, done, total),
    });
    console.line(JSON.stringify({ model, ...evaluation }));
  } finally {
    interrupt.dispose();
    await plugins.dispose();
  }
}
