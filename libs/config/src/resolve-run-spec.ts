/**
 * @file Resolves a run configuration to a frozen spec: core defaults, plugin options, derived numbers, and the source of
 * every value. Nothing is loaded or created here; the registry is an argument.
 */
import { type DerivedNumbers, type RunSpec, runSpecSchema } from '@espalier/contracts';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import { type PromptChoice, type PromptFormat, resolvePrompt } from '@espalier/contracts/prompt-format';
import { listAlgorithms, listEnvironments, type TaggedSpec } from '@espalier/contracts/mixing';
import { completeSamplerCorrection } from '@espalier/contracts/sampler-correction';
import { isRecord } from '@espalier/contracts/values';
import type { z } from 'zod';
import {
  chooseAggregation,
  countGreedyGroups,
  countKeptGroups,
  countResampling,
  describeSelections,
} from './ask-algorithms.js';
import { findImpossibleBudgets } from './budgets.js';
import { deriveNumbers } from './derive.js';
import { type CheckedEnvironment, findInertOptions, type InertOption } from './inert.js';
import { isolationKeys, isolationOf } from './isolation.js';
import { deepFreeze, joinPath } from './json.js';
import type { ConfigInput } from './load-config.js';
import {
  type ChosenPlugin,
  resolveModelChoice,
  resolvePlugin,
  type ResolvedPlugin,
} from './plugin-options.js';
import { asConfigInput, describeIssues, locate, type Problem, throwProblems } from './problems.js';
import { presetPaths } from './presets.js';
import type {
  ConfigurableAlgorithm,
  ConfigurableEnvironment,
  ModelLimits,
  PluginRegistry,
} from './registry.js';
import {
  completeEnvironments,
  findEnvironmentProblems,
  resolveEnvironments,
  selectOptionsOf,
} from './resolve-environments.js';
import { listSections } from './sections.js';
import { usualAge } from './schedule-budgets.js';
import { specHash } from './spec-hash.js';
import { traceSources, type ValueSource } from './sources.js';

export interface ResolvedRun {
  /** deeply frozen; what is stored and sent */
  readonly spec: RunSpec;
  /** what follows from the spec */
  readonly derived: DerivedNumbers;
  /** by dotted path of every leaf */
  readonly sources: ReadonlyMap<string, ValueSource>;
  /** options without effect; `set` when they were set explicitly */
  readonly inert: readonly (InertOption & { readonly set: boolean })[];
  /** sha256 of the spec's canonical JSON */
  readonly hash: string;
}

type CoreSpec = z.output<typeof runSpecSchema>;

/** What resolving a run needs to know about the model that it names. */
export interface FoundModel {
  /** undefined: nothing is checked against the model */
  readonly limits: ModelLimits | undefined;
  /** takes the place of the model that was written, such as the commit of a branch */
  readonly choice?: ModelChoice;
  /** how many tokens of a micro-batch fit into memory, at most as many as wanted; without it all do */
  readonly fitMicroBatch?: (wanted: number, spec: Pick<CoreSpec, 'lora' | 'update' | 'device'>) => number;
  /** tokens of a micro-batch that a resumed run began with; taken where the spec gives no number */
  readonly begunMicroBatch?: number | undefined;
}

/**
 * Resolves a run.
 *
 * @param input     a loaded file with overrides, or plain values (e.g. of a request)
 * @param findModel called once, when all options have been validated; without it nothing is checked against the model
 * @throws config.unknown_key, config.wrong_type, config.derived_key, config.impossible_budget (one
 *         error for all problems), plugin.not_found
 */
export function resolveRunSpec(
  input: ConfigInput | Readonly<Record<string, unknown>>,
  registry: PluginRegistry,
  findModel: (model: ModelChoice) => FoundModel = () => ({ limits: undefined }),
): ResolvedRun {
  const written = asConfigInput(input);
  const { core, problems } = parseCore(written);
  const plugins = resolvePlugins(written, core, registry, problems);
  throwProblems(problems);
  if (core === undefined) throw new TypeError('resolveRunSpec: a failed parse without a problem');
  const named = plugins.model ?? core.model;
  const { limits: model, choice = named, fitMicroBatch, begunMicroBatch } = findModel(named);
  const { spec, derived, derivedPaths, isFitted } = assemble({ ...core, model: choice }, plugins, {
    registry,
    model,
    fitMicroBatch,
    begunMicroBatch,
    fileName: written.fileName,
    rollout: (written.value['rollout'] as AssembleContext['rollout'] | undefined) ?? {},
  });
  const environments = listEnvironments(spec).map((tagged) => describeEnvironment(tagged, plugins));
  const selections = describeSelections(spec, plugins.algorithmOf);
  const algorithms = listAlgorithms(spec).map(({ tag, path }) => {
    const resolved = plugins.algorithmOf(tag);
    return { path, plugin: pluginOf(resolved), options: resolved.options };
  });
  const critic = algorithms.some(({ plugin, options }) => plugin.needs(options).critic);
  const isWritten = (path: string): boolean => written.origins.has(path);
  throwProblems(
    findImpossibleBudgets(
      spec,
      derived,
      {
        critic,
        environments,
        selections,
        model,
        isWritten,
        algorithms,
        algorithm: pluginOf(plugins.algorithm),
      },
      (path) => locate(written, path),
    ),
  );
  const isPreset = presetPaths(plugins.environments);
  const sources = traceSources(spec, written.origins, derivedPaths, isPreset, isPluginPath);
  if (core.name === undefined && written.fileName !== undefined) sources.set('name', 'file name');
  if (isFitted) sources.set('update.microBatchTokens', 'memory');
  const inert = findInertOptions(spec, derived, {
    critic,
    environments,
    model,
    algorithms,
  }).map((option) => ({
    ...option,
    set: [...written.origins.keys()].some(
      (path) => path === option.path || path.startsWith(`${option.path}.`),
    ),
  }));
  return { spec: deepFreeze(spec), derived, sources, inert, hash: specHash(spec) };
}

/** What checks need to know of an environment of the run. */
function describeEnvironment(
  tagged: TaggedSpec,
  { environments, algorithmOf }: ResolvedPlugins,
): CheckedEnvironment {
  const { plugin, options } = environments.get(tagged.path) ?? unresolved;
  const environment = plugin as ConfigurableEnvironment;
  const algorithm = algorithmOf(tagged.trained ? tagged.tag : undefined);
  const { minGroupSize } = pluginOf(algorithm);
  return {
    ...tagged,
    environment: { plugin: environment, options },
    maxActions: environment.reads?.(options).actions,
    minGroupSize: minGroupSize?.(selectOptionsOf(algorithm, tagged.select)) ?? 1,
  };
}

/** Parses the core; `derived` has its own error, which says why it cannot be set. */
function parseCore(written: ConfigInput): { core: CoreSpec | undefined; problems: Problem[] } {
  const { derived, ...rest } = written.value;
  const problems: Problem[] = [];
  if (derived !== undefined) {
    const names = isRecord(derived) ? Object.keys(derived).join(', ') : '';
    const location = locate(written, 'derived');
    problems.push({
      code: 'config.derived_key',
      path: 'derived',
      message: `${location}: derived ${names} cannot be set; the other settings determine it`,
    });
  }
  const parsed = runSpecSchema.safeParse(rest);
  if (!parsed.success)
    problems.push(...describeIssues(written, [], runSpecSchema, rest, parsed.error.issues));
  return { core: parsed.data, problems };
}

interface ResolvedPlugins {
  /** by the path of the section */
  readonly environments: ReadonlyMap<string, ResolvedPlugin>;
  readonly algorithm: ResolvedPlugin;
  /** that of a tag, else that of the run */
  readonly algorithmOf: (tag: string | undefined) => ResolvedPlugin;
  readonly model: ModelChoice | undefined;
  /** by the path of the list */
  readonly rewards: ReadonlyMap<string, readonly ResolvedPlugin[]>;
}

const unresolved: ResolvedPlugin = { plugin: undefined, options: {} };

const pluginOf = ({ plugin }: ResolvedPlugin): ConfigurableAlgorithm => plugin as ConfigurableAlgorithm;

/** Resolves plugins from the parsed core or, if parsing failed, from the parts that are readable. */
function resolvePlugins(
  written: ConfigInput,
  core: CoreSpec | undefined,
  registry: PluginRegistry,
  problems: Problem[],
): ResolvedPlugins {
  const from: Readonly<Record<string, unknown>> = core ?? written.value;
  const one = (
    kind: ChosenPlugin['kind'],
    path: readonly string[],
    chosen: unknown,
    coreKeys: readonly string[] = [],
  ): ResolvedPlugin => {
    if (!isRecord(chosen) || typeof chosen['use'] !== 'string') return unresolved;
    return resolvePlugin(
      written,
      registry,
      { kind, path, chosen: { ...chosen, use: chosen['use'] }, coreKeys },
      problems,
    );
  };
  const sections = listSections(from);
  const rewardsOf = ({ path, value }: (typeof sections)[number]): [string, readonly ResolvedPlugin[]][] => {
    if (!Array.isArray(value['rewards'])) return [];
    const at = [...path, 'rewards'];
    const list = value['rewards'] as unknown[];
    reportDuplicates(written, joinPath(at), list, problems);
    const resolved = list.map((reward, index) =>
      one('reward', [...at, String(index)], reward, ['weight', ...isolationKeys]),
    );
    return [[joinPath(at), resolved]];
  };
  const environments = resolveEnvironments(written, sections, registry, problems);
  const algorithm = one('algorithm', ['algorithm'], from['algorithm']);
  const model = resolveModelChoice(written, registry, from['model'], problems);
  const rewards = new Map(sections.flatMap(rewardsOf));
  const tags = Object.entries(isRecord(from['environments']) ? from['environments'] : {});
  const own = new Map(
    tags.flatMap(([tag, section]) =>
      isRecord(section) && section['algorithm'] !== undefined
        ? [[tag, one('algorithm', ['environments', tag, 'algorithm'], section['algorithm'])] as const]
        : [],
    ),
  );
  const algorithmOf = (tag: string | undefined): ResolvedPlugin => own.get(tag ?? '') ?? algorithm;
  problems.push(...findEnvironmentProblems(written, core, algorithmOf));
  return { environments, algorithm, algorithmOf, model, rewards };
}

function reportDuplicates(
  written: ConfigInput,
  at: string,
  rewards: readonly unknown[],
  problems: Problem[],
): void {
  const seen = new Set<unknown>();
  rewards.forEach((reward, index) => {
    const use = isRecord(reward) ? reward['use'] : undefined;
    const path = `${at}.${index}.use`;
    if (use !== undefined && seen.has(use)) {
      problems.push({
        code: 'config.wrong_type',
        path,
        message: `${locate(written, path)}: reward ${String(use)} is listed twice; use one entry with the sum of the weights`,
      });
    }
    seen.add(use);
  });
}

/** Micro-batch size at which models are fastest on a CPU, in tokens (docs/log); what is longer is computed alone. */
const usualMicroBatchTokens = 2048;

interface Assembled {
  readonly spec: RunSpec;
  readonly derived: DerivedNumbers;
  readonly derivedPaths: ReadonlySet<string>;
  /** memory asked for a smaller micro-batch */
  readonly isFitted: boolean;
}

interface AssembleContext {
  readonly registry: PluginRegistry;
  readonly model: ModelLimits | undefined;
  readonly fitMicroBatch: FoundModel['fitMicroBatch'];
  readonly begunMicroBatch: FoundModel['begunMicroBatch'];
  readonly fileName: string | undefined;
  /** rollout as it was written */
  readonly rollout: { readonly prompt?: PromptChoice; readonly promptsPerStep?: unknown };
}

/** Combines core, options and derived numbers. */
function assemble(
  core: CoreSpec,
  plugins: ResolvedPlugins,
  { registry, model, fitMicroBatch, begunMicroBatch, fileName, rollout }: AssembleContext,
): Assembled {
  const derivedPaths = new Set<string>();
  if (core.name === undefined) derivedPaths.add('name');
  const { prompt = {} } = rollout;
  const algorithm = pluginOf(plugins.algorithm);
  const resample = core.rollout.resample ?? (countResampling(core, plugins.algorithmOf) || undefined);
  if (core.rollout.resample === undefined) derivedPaths.add('rollout.resample');
  const completeRewards = (rewards: CoreSpec['rewards'], path: string): CoreSpec['rewards'] =>
    rewards.map(({ use, weight, ...rest }, index) => ({
      use,
      weight,
      ...isolationOf('reward', { use, ...rest }, registry),
      ...plugins.rewards.get(path)?.[index]?.options,
    }));
  const own = completeEnvironments(core, plugins.environments, {
    registry,
    completeRewards,
    algorithmOf: plugins.algorithmOf,
    hasPrompts: rollout.promptsPerStep !== undefined,
  });
  for (const path of own.derivedPaths) derivedPaths.add(path);
  const { environment: _environment, environments: _environments, mixing: _mixing, ...shared } = core;
  const contextTokens = core.rollout.contextTokens ?? model?.contextLength;
  if (core.rollout.contextTokens === undefined && contextTokens !== undefined)
    derivedPaths.add('rollout.contextTokens');
  if (prompt.preset === undefined) derivedPaths.add('rollout.prompt.preset');
  for (const name of ['microBatchTokens', 'lossAggregation', 'lossConstant'] as const)
    if (core.update[name] === undefined) derivedPaths.add(`update.${name}`);
  const { lossAggregation = chooseAggregation(core, plugins.algorithmOf) } = core.update;
  const longest = own.limits.maxTurns * core.rollout.maxResponseTokens;
  const lossConstant =
    core.update.lossConstant ?? (lossAggregation.endsWith('-constant') ? longest : undefined);
  for (const name of ['use', 'maxRatio', 'minRatio'] as const)
    if (core.update.samplerCorrection[name] === undefined)
      derivedPaths.add(`update.samplerCorrection.${name}`);
  const { replay: givenReplay } = core.update;
  const replay = givenReplay && { ...givenReplay, maxAge: givenReplay.maxAge ?? usualAge(core.update) };
  if (givenReplay !== undefined && givenReplay.maxAge === undefined) derivedPaths.add('update.replay.maxAge');
  // to a GPU one large product costs less than many small ones
  const wanted = Math.max(usualMicroBatchTokens, core.device.provider === 'cpu' ? 0 : (contextTokens ?? 0));
  const given = core.update.microBatchTokens ?? begunMicroBatch;
  const microBatchTokens = given ?? fitMicroBatch?.(wanted, core) ?? wanted;
  const spec: RunSpec = {
    ...shared,
    ...own.parts,
    validation: {
      ...core.validation,
      ...(own.validated === undefined ? {} : { environments: own.validated }),
    },
    update: {
      ...core.update,
      samplerCorrection: completeSamplerCorrection(core),
      microBatchTokens,
      lossAggregation,
      replay,
      ...(lossConstant === undefined ? {} : { lossConstant }),
    },
    name: core.name ?? fileName ?? `${core.environment?.use ?? 'mixed'}-${core.algorithm.use}`.toLowerCase(),
    algorithm: { use: core.algorithm.use, ...plugins.algorithm.options },
    rewards: completeRewards(core.rewards, 'rewards'),
    rollout: {
      ...core.rollout,
      prompt: choosePrompt(prompt, model, plugins.model ?? core.model),
      ...own.limits,
      promptsPerStep: own.promptsPerStep,
      ...(resample === undefined ? {} : { resample }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    },
  };
  const derived = deriveNumbers(spec, algorithm.keptShare(plugins.algorithm.options), {
    groups: countKeptGroups(spec, plugins.algorithmOf),
    isShared: spec.mixing?.compare === 'together',
    greedyPerStep: countGreedyGroups(spec, plugins.algorithmOf),
  });
  const isFitted = given === undefined && microBatchTokens < wanted;
  return { spec, derived, derivedPaths, isFitted };
}

/**
 * Completes the prompt by the preset that the model reads best. Where a folder cannot be read, as on a server, the prompt
 * stays as it was written, and whoever opens the model completes it.
 */
function choosePrompt(
  prompt: PromptChoice,
  model: ModelLimits | undefined,
  choice: ModelChoice,
): PromptFormat {
  const isUnknown = prompt.preset === undefined && model === undefined && !('use' in choice);
  return isUnknown ? (prompt as PromptFormat) : resolvePrompt(prompt, model?.promptPreset);
}

const ofTag = '(?:(?:validation\\.)?environments\\.[^.]+\\.)?';
const ofLevel = '(?:curriculum\\.levels\\.\\d+\\.)?';
// built from -- fixed text above, matched against short dotted paths
const limitPath = new RegExp(`^(?:rollout\\.|${ofTag}${ofLevel})max(?:Turns|Actions|ActionsPerTurn)$`);
// built from -- fixed text above, matched against short dotted paths
const pluginPath = new RegExp(
  `^${ofTag}(?:${ofLevel}environment|algorithm|model|select|rewards\\.\\d+)\\.(.+)$`,
);

/** Whether a plugin defines the default of a path. */
function isPluginPath(path: string): boolean {
  if (limitPath.test(path)) return true;
  const inPlugin = pluginPath.exec(path)?.[1];
  return inPlugin !== undefined && !['use', 'weight', ...isolationKeys].includes(inPlugin);
}
