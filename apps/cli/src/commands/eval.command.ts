import type { ConfigInput } from '@espalier/config';
import { AppError, type RunSpec } from '@espalier/contracts';
import type { FolderModel } from '@espalier/contracts/model-choice';
import { comparePaired, evaluateModel, type Evaluation, trainedOutcomes } from '@espalier/trainer';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { isolateRun } from '../local/isolate-run.js';
import { noteCorrupt } from '../local/open-model.js';
import { parseModelName } from '../local/named-model.js';
import { collect, parseAmount, parseCount } from '../parse-arguments.js';
import { configOfRun, isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import { planRun } from '../local/resolve-run.js';
import { percent, percentWithInterval, short } from '../view/numbers.js';
import { tagLines } from '../view/tag-table.js';
import { loadRegistry, type Registry } from '../workspace.js';

interface EvalOptions {
  readonly set: string[];
  readonly episodes?: number;
  readonly temperature?: number;
  readonly base?: string | undefined;
  readonly compare?: string;
  readonly split?: 'validation' | 'test';
  readonly json?: boolean;
}

/** Adds `espalier eval`. */
export function addEvalCommand(program: Command, context: CommandContext): void {
  program
    .command('eval <model> [config]')
    .description(
      'measure a model, checkpoint or run on fixed validation states: those of a configuration, or of the run itself',
    )
    .option(
      '--episodes <n>',
      'initial states, one trajectory each (default: validation.episodes)',
      parseCount('--episodes', 1),
    )
    .option(
      '--temperature <t>',
      'sampling temperature; 0 = greedy (default: validation.temperature)',
      parseAmount('--temperature'),
    )
    .option(
      '--compare <model>',
      'measure a second model on the same states; the difference is (first − second), state by state',
    )
    .addOption(
      new Option('--split <split>', 'which fixed states (default: validation)').choices([
        'validation',
        'test',
      ]),
    )
    .option('--base <model>', 'what an adapter was trained on (default: what its run recorded)')
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples(
        ['eval runs/bandit-starpo-s-1', 'the newest checkpoint of a run, as the run itself validates'],
        ['eval runs/sokoban-ppo-1 --compare seedling --episodes 512', 'what training has gained'],
        ['eval seedling config/runs/frozen-lake-grpo.yaml', 'a model that belongs to no run'],
      ),
    )
    .action(async (model: string, config: string | undefined, options: EvalOptions) =>
      evaluate(model, config, options, context.console),
    );
}

async function evaluate(
  model: string,
  given: string | undefined,
  options: EvalOptions,
  console: Console,
): Promise<void> {
  const registry = await loadRegistry(console);
  const config = given ?? ownConfig(model);
  if (given !== undefined) await noteOtherEnvironment(model, given, options.set, registry, console);
  const first = await measure(model, config, options, registry, console);
  const second =
    options.compare === undefined
      ? undefined
      : await measure(options.compare, config, { ...options, base: undefined }, registry, console);
  const comparison =
    second === undefined ? undefined : comparePaired(trainedOutcomes(second), trainedOutcomes(first));
  if (options.json === true) {
    console.line(
      JSON.stringify({
        model,
        ...first,
        ...(second === undefined ? {} : { compare: { model: options.compare, ...second }, comparison }),
      }),
    );
    return;
  }
  print(model, first, console);
  if (second === undefined || comparison === undefined) return;
  print(options.compare ?? '', second, console);
  const { difference, low, high, states, gained, lost } = comparison;
  const points = (value: number): string => `${value >= 0 ? '+' : ''}${(100 * value).toFixed(1)}`;
  console.line(
    `difference  ${points(difference)} points [${points(low)}, ${points(high)}] on ${states} states, ${gained} won and ${lost} lost`,
  );
}

/** The configuration a run was made with. @throws cli.usage when the model is no run */
function ownConfig(model: string): ConfigInput {
  if (isRunFolder(model)) return configOfRun(model);
  throw new AppError(
    'cli.usage',
    `eval ${model}: only the folder of a run brings its own configuration; name one, e.g. config/runs/frozen-lake-grpo.yaml`,
  );
}

/** Says when a run is measured on something else than it was trained on. */
async function noteOtherEnvironment(
  model: string,
  config: string,
  set: readonly string[],
  registry: Registry,
  console: Console,
): Promise<void> {
  if (!isRunFolder(model)) return;
  const environmentsOf = ({ environment, environments }: RunSpec): string =>
    JSON.stringify(environment ?? environments);
  const trained = environmentsOf(readRunSpec(model));
  const { spec } = await planRun(config, set, { registry, console, model: parseModelName(model, registry) });
  const measured = environmentsOf(spec);
  if (trained !== measured)
    console.note(`note: ${model} was trained on ${trained}, and is measured on ${measured}`);
}

const reportMs = 5000;

/** Says on standard error how far a measurement is: with its first episode, then every few seconds. */
function createProgressNote(model: string, console: Console): (done: number, total: number) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    if (Date.now() - last < reportMs || done === total) return;
    last = Date.now();
    console.note(`measuring ${model}: ${done} of ${total} episodes`);
  };
}

async function measure(
  model: string,
  config: string | ConfigInput,
  options: EvalOptions,
  registry: Registry,
  console: Console,
): Promise<Evaluation> {
  const overrides = [
    ...options.set,
    ...(options.episodes === undefined ? [] : [`validation.episodes=${options.episodes}`]),
    ...(options.temperature === undefined ? [] : [`validation.temperature=${options.temperature}`]),
  ];
  const named = parseModelName(model, registry);
  const base = options.base === undefined ? undefined : parseModelName(options.base, registry);
  const planned = await planRun(config, overrides, {
    registry,
    console,
    model: base === undefined ? named : ({ ...named, base } as FolderModel),
  });
  const { spec, model: opened } = planned;
  noteCorrupt(opened, console);
  await validatePromptLength(planned, registry);
  const plugins = await isolateRun(spec, registry);
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  try {
    return await evaluateModel({
      spec,
      registry: plugins,
      folder: opened.folder,
      base: opened.base,
      signal: interrupt.signal,
      ...(options.split === undefined ? {} : { split: options.split }),
      onProgress: createProgressNote(model, console),
    });
  } finally {
    interrupt.dispose();
    await plugins.dispose();
  }
}

function print(model: string, evaluation: Evaluation, console: Console): void {
  const { successRate, successLow, successHigh, episodes, failed, metrics } = evaluation;
  console.line(`${model} on ${evaluation.environment}`);
  console.line(
    `  success  ${percentWithInterval(successRate, successLow, successHigh)} of ${episodes} episodes`,
  );
  const number = (name: string): number | undefined => metrics[`validation/${name}`];
  const details = [
    `reward ${short(number('reward_mean'))}`,
    `format ${percent(number('format_valid_share'))}`,
    `entropy ${short(number('entropy'))}`,
    ...(failed > 0 ? [`${failed} episodes failed`] : []),
  ];
  console.line(`  ${details.join('   ')}`);
  for (const line of tagLines(evaluation.tags ?? [])) console.line(line);
}
