/** @file Which policies are measured in which environments. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '@espalier/config';
import { AppError, type RunSpec } from '@espalier/contracts';
import { listTrained, listValidated, type TaggedSpec } from '@espalier/contracts/mixing';
import type { FolderModel } from '@espalier/contracts/model-choice';
import { hashFile } from '@espalier/files';
import type { Console } from '../console.js';
import { noteCorrupt } from '../local/open-model.js';
import { parseModelName } from '../local/named-model.js';
import { configOfRun, isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { type PlannedRun, planRun } from '../local/resolve-run.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import type { Registry } from '../workspace.js';
import type { Column } from './result.js';

export interface PlannedColumn extends Column {
  /** the environment without its tag: equal ones are measured once */
  readonly key: string;
  /** the environment for each model, by its name */
  readonly of: ReadonlyMap<string, { readonly run: PlannedRun; readonly environment: TaggedSpec }>;
}

export interface PlannedTable {
  readonly models: readonly { readonly name: string; readonly trainedOn: readonly string[] }[];
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
  const { models, inputs, registry, console } = request;
  const repeated = models.find((name, index) => models.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new AppError('cli.usage', `eval ${repeated}: named twice; name each model once`);
  const columns = new Map<string, PlannedColumn>();
  for (const input of inputs)
    for (const name of models) {
      const run = await planRun(input, [], {
        registry,
        console,
        model: chooseModel(name, request),
      });
      await validatePromptLength(run, registry);
      for (const environment of listValidated(run.spec)) addColumn(columns, name, run, environment);
    }
  const planned = [...columns.values()];
  for (const name of models) {
    const opened = planned[0]?.of.get(name)?.run.model;
    if (opened !== undefined) noteCorrupt(opened, console);
  }
  return {
    models: models.map((name) => ({ name, trainedOn: trainedOn(name, planned) })),
    columns: planned,
    plan: {
      models: models.map((name) => [name, weightsOf(planned[0]?.of.get(name)?.run)]),
      environments: planned.map(({ label, key }) => [label, key]),
    },
  };
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
  const own = models.filter((name) => isRunFolder(name));
  if (own.length > 0) return own.map(configOfRun);
  throw new AppError(
    'cli.usage',
    `eval ${models.join(' ')}: only the folder of a run brings its own configuration; name one, e.g. config/runs/frozen-lake-grpo.yaml`,
  );
}

function addColumn(
  columns: Map<string, PlannedColumn>,
  model: string,
  run: PlannedRun,
  environment: TaggedSpec,
): void {
  const key = keyOf(environment);
  const known = columns.get(key);
  // the budget in tokens may depend on the model, the rest does not
  const place = { run, environment };
  if (known !== undefined) {
    if (!known.of.has(model)) (known.of as Map<string, typeof place>).set(model, place);
    return;
  }
  const { use } = environment.spec.environment;
  const wanted = environment.tag ?? use;
  const labels = new Set([...columns.values()].map(({ label }) => label));
  let label = wanted;
  for (let n = 2; labels.has(label); n++) label = `${wanted} ${n}`;
  const { episodes } = environment.spec.validation;
  columns.set(key, { key, label, environment: use, states: episodes, of: new Map([[model, place]]) });
}

function keyOf({ spec }: TaggedSpec): string {
  const { contextTokens: _tokens, promptsPerStep: _prompts, groupSize: _group, ...rollout } = spec.rollout;
  const { every: _every, ...validation } = spec.validation as Record<string, unknown>;
  return JSON.stringify([spec.environment, spec.rewards, rollout, validation]);
}

/** Which columns a run has learned from: the environment and its options count, budgets do not. */
function trainedOn(name: string, columns: readonly PlannedColumn[]): string[] {
  if (!isRunFolder(name)) return [];
  const own = new Set(listTrained(readRunSpec(name)).map(environmentOf));
  return columns
    .filter(({ of }) => [...of.values()].some((one) => own.has(environmentOf(one.environment))))
    .map(({ label }) => label);
}

const environmentOf = ({ spec }: TaggedSpec): string => {
  const {
    isolation: _isolation,
    callTimeoutMs: _timeout,
    ...chosen
  } = spec.environment as RunSpec['environment'] & {
    use: string;
  };
  return JSON.stringify(Object.entries(chosen).sort(([a], [b]) => a.localeCompare(b)));
};

/** Tells weights apart: a run that has trained on is another model. */
function weightsOf(run: PlannedRun | undefined): string[] {
  if (run === undefined) return [];
  const { folder } = run.model;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.safetensors'))
    .sort()
    .map((file) => hashFile(join(folder, file)));
}
