/** @file Which policies are measured in which environments. */
import { type ConfigInput, resolveRunSpec } from '@espalier/config';
import { AppError, type RunSpec } from '@espalier/contracts';
import { identifyEnvironment, listTrained, listValidated, type TaggedSpec } from '@espalier/contracts/mixing';
import type { FolderModel } from '@espalier/contracts/model-choice';
import { rolloutSchedule } from '@espalier/contracts/schedule-options';
import { isRecord } from '@espalier/contracts/values';
import { findDifferences } from '@espalier/report';
import { identityOf, isAgent, type NamedAgent, readAgent } from '../agents/agent-options.js';
import type { Console } from '../console.js';
import { noteCorrupt, type OpenedModel } from '../local/open-model.js';
import { parseModelName, runOf } from '../local/named-model.js';
import { configOfRun, isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { planRun } from '../local/resolve-run.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import type { Registry } from '../workspace.js';
import { identifyDevice, identifyModel } from './identify-model.js';
import { nameColumns } from './name-columns.js';
import type { Column } from './result.js';

export interface PlannedColumn extends Column {
  /** the environment without its tag: equal ones are measured once */
  readonly key: string;
  /** what the key is of, but for the prompt */
  readonly options: ReturnType<typeof measuredOf>;
  /** the environment for each model, by its name */
  readonly of: ReadonlyMap<string, Place>;
}

/** A model in an environment. */
export interface Place {
  readonly spec: RunSpec;
  readonly environment: TaggedSpec;
  /** undefined: it is behind an API */
  readonly model: OpenedModel | undefined;
}

export interface PlannedModel {
  readonly name: string;
  readonly trainedOn: readonly string[];
  readonly agent: NamedAgent | undefined;
}

export interface PlannedTable {
  readonly models: readonly PlannedModel[];
  readonly columns: readonly PlannedColumn[];
  /** what a stopped evaluation must have in common with this one */
  readonly plan: Readonly<Record<string, unknown>>;
}

export interface TableRequest {
  readonly models: readonly string[];
  readonly inputs: readonly ConfigInput[];
  readonly base?: string | undefined;
  readonly registry: Registry;
  readonly console: Console;
}

/** Plans the table. @throws cli.usage, and what reading configurations and opening models throws */
export async function planTable(request: TableRequest): Promise<PlannedTable> {
  const { inputs, console } = request;
  const named = request.models.map((word) => {
    const agent = isAgent(word) ? readAgent(word) : undefined;
    return { word, agent, name: agent?.name ?? word };
  });
  const repeated = named.find(({ name }, index) => named.findIndex((one) => one.name === name) !== index);
  if (repeated !== undefined)
    throw new AppError(
      'cli.usage',
      `eval ${repeated.word}: "${repeated.name}" is named twice; name each model once${repeated.agent === undefined ? '' : ', or give the agent a name of its own'}`,
    );
  const columns = new Map<string, PlannedColumn>();
  for (const input of inputs)
    for (const { name, word, agent } of named) {
      const place =
        agent === undefined ? await planModel(word, input, request) : planAgent(input, request.registry);
      const key = { prompt: writtenPrompt(input) };
      for (const environment of place.environments)
        addColumn(columns, name, place, environment, JSON.stringify([measuredOf(environment), key]));
    }
  const unnamed = [...columns.values()];
  const names = nameColumns(unnamed.map(({ label: wanted, options }) => ({ wanted, options })));
  const planned = unnamed.map((column, index) => ({ ...column, label: names[index] ?? column.label }));
  for (const { name } of named) {
    const opened = planned[0]?.of.get(name)?.model;
    if (opened !== undefined) noteCorrupt(opened, console);
  }
  return {
    models: named.map(({ name, agent }) => ({
      name,
      agent,
      trainedOn: agent === undefined ? trainedOn(name, planned) : [],
    })),
    columns: planned,
    plan: {
      models: named.map(({ name, agent }) => [
        name,
        agent === undefined ? filesOf(planned[0]?.of.get(name)) : identityOf(agent),
      ]),
      environments: planned.map(({ label, key }) => [label, key]),
      devices: planned.map(devicesOf),
    },
  };
}

const filesOf = (place: Place | undefined): string[] =>
  place?.model === undefined ? [] : identifyModel(place.model);

/** What the models of a column are computed on; agents are computed elsewhere. */
const devicesOf = ({ of }: PlannedColumn): unknown[] =>
  [...of.values()].flatMap(({ model, spec }) => (model === undefined ? [] : [identifyDevice(spec.device)]));

interface PlacedRun {
  readonly spec: RunSpec;
  readonly model: OpenedModel | undefined;
  readonly environments: readonly TaggedSpec[];
}

async function planModel(word: string, input: ConfigInput, request: TableRequest): Promise<PlacedRun> {
  const { registry, console } = request;
  const run = await planRun(input, [], { registry, console, model: chooseModel(word, request) });
  await validatePromptLength(run, registry);
  return { spec: run.spec, model: run.model, environments: listValidated(run.spec) };
}

/** Of what a configuration says nothing about: agents get RAGEN's prompt; nothing is known of their tokens. */
const agentLimits = { contextLength: 2 ** 20, vocabularySize: 2 ** 16, promptPreset: 'ragen' } as const;

/** The model of the configuration is not opened; the endpoint knows how long a context may be. */
function planAgent(input: ConfigInput, registry: Registry): PlacedRun {
  const { spec } = resolveRunSpec(input, registry, () => ({ limits: agentLimits }));
  const environments = listValidated(spec).map((tagged) => {
    const { contextTokens: _tokens, ...rollout } = tagged.spec.rollout;
    return { ...tagged, spec: { ...tagged.spec, rollout } };
  });
  return { spec, model: undefined, environments };
}

function chooseModel(name: string, { base, registry }: TableRequest) {
  const named = parseModelName(name, registry);
  return base === undefined ? named : ({ ...named, base: parseModelName(base, registry) } as FolderModel);
}

/** The configurations that are named, else those of all runs. @throws cli.usage when there is neither */
export function sourcesOf(
  models: readonly string[],
  configs: readonly string[],
): readonly (string | ConfigInput)[] {
  if (configs.length > 0) return configs;
  const own = [...new Set(models.map(runOf))].filter(isRunFolder);
  if (own.length > 0) return own.map(configOfRun);
  throw new AppError(
    'cli.usage',
    `eval ${models.join(' ')}: only the folder of a run brings its own configuration; name one, e.g. config/runs/frozen-lake-grpo.yaml`,
  );
}

function addColumn(
  columns: Map<string, PlannedColumn>,
  name: string,
  { spec, model }: PlacedRun,
  environment: TaggedSpec,
  key: string,
): void {
  const known = columns.get(key);
  // the budget in tokens may depend on the model, the rest does not
  const place: Place = { spec, environment, model };
  if (known !== undefined) {
    if (!known.of.has(name)) (known.of as Map<string, Place>).set(name, place);
    return;
  }
  const { use } = environment.spec.environment;
  const { episodes } = environment.spec.validation;
  columns.set(key, {
    key,
    options: measuredOf(environment),
    label: environment.tag ?? use,
    environment: use,
    states: episodes,
    of: new Map([[name, place]]),
  });
}

/** Options that say how a run trains: they change nothing of what is measured. */
const trainingOnly = {
  rollout: 'contextTokens promptsPerStep groupSize resample temperature topP topK'
    .split(' ')
    .concat(Object.keys(rolloutSchedule)),
  validation: ['every', 'atStart', 'atEnd'],
};

/** What is measured; the prompt only as it is written, because each model has the preset that it reads best. */
function measuredOf({ spec: { environment, rewards, rollout, validation } }: TaggedSpec) {
  const without = (options: object, names: readonly string[]): object =>
    Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
  return {
    environment,
    rewards,
    rollout: without(rollout, ['prompt', ...trainingOnly.rollout]),
    validation: without(validation, trainingOnly.validation),
  };
}

const writtenPrompt = ({ value }: ConfigInput): unknown =>
  isRecord(value['rollout']) ? value['rollout']['prompt'] : undefined;

function trainedOn(name: string, columns: readonly PlannedColumn[]): string[] {
  const run = runOf(name);
  return isRunFolder(run) ? columnsOf(listTrained(readRunSpec(run)), columns) : [];
}

/**
 * The columns of environments that a run was trained in, by environment and options. Budgets count only where several
 * columns are of one environment and one of them has its budgets.
 */
export function columnsOf(trained: readonly TaggedSpec[], columns: readonly PlannedColumn[]): string[] {
  const found = trained.flatMap((own) => {
    const alike = columns.filter(({ of }) =>
      [...of.values()].some((one) => environmentOf(one.environment) === environmentOf(own)),
    );
    const { rollout } = measuredOf(own);
    const exact = alike.filter(({ options }) => findDifferences([options.rollout, rollout]).length === 0);
    return exact.length > 0 ? exact : alike;
  });
  return columns.filter((column) => found.includes(column)).map(({ label }) => label);
}

const environmentOf = ({ spec }: TaggedSpec): string => identifyEnvironment(spec.environment);
