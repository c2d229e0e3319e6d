/**
 * @file Resolves a run configuration to a frozen spec: core defaults, plugin options, derived numbers, and the source of
 * every value. Nothing is loaded or created here; the registry is an argument.
 */
import { type DerivedNumbers, type RunSpec, runSpecSchema } from '@espalier/contracts';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import { type PromptChoice, type PromptFormat, resolvePrompt } from '@espalier/contracts/prompt-format';
import { isRecord } from '@espalier/contracts/values';
import type { z } from 'zod';
import { findImpossibleBudgets } from './budgets.js';
import { deriveNumbers } from './derive.js';
import { findInertOptions, type InertOption } from './inert.js';
import { deepFreeze } from './json.js';
import type { ConfigInput } from './load-config.js';
import {
  type ChosenPlugin,
  resolveModelChoice,
  resolvePlugin,
  type ResolvedPlugin,
} from './plugin-options.js';
import { asConfigInput, describeIssues, locate, type Problem, throwProblems } from './problems.js';
import type {
  ConfigurableAlgorithm,
  ConfigurableEnvironment,
  ModelLimits,
  PluginRegistry,
} from './registry.js';
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
  const { spec, derived, derivedPaths, isFitted, critic } = assemble({ ...core, model: choice }, plugins, {
    registry,
    model,
    fitMicroBatch,
    begunMicroBatch,
    fileName: written.fileName,
    prompt: (written.value['rollout'] as { prompt?: PromptChoice } | undefined)?.prompt ?? {},
  });
  const algorithm = plugins.algorithm.plugin as ConfigurableAlgorithm;
  const { options } = plugins.algorithm;
  const minGroupSize = algorithm.minGroupSize?.(options) ?? 1;
  const environment = {
    plugin: plugins.environment.plugin as ConfigurableEnvironment,
    options: plugins.environment.options,
  };
  const maxActions = environment.plugin.reads?.(environment.options).actions;
  const isWritten = (path: string): boolean => written.origins.has(path);
  const limits = { critic, minGroupSize, model, maxActions, isWritten };
  throwProblems(findImpossibleBudgets(spec, derived, limits, (path) => locate(written, path)));
  const sources = traceSources(spec, written.origins, derivedPaths, (path) => isPluginPath(path));
  if (core.name === undefined && written.fileName !== undefined) sources.set('name', 'file name');
  if (isFitted) sources.set('update.microBatchTokens', 'memory');
  const inert = findInertOptions(spec, derived, {
    critic,
    environment,
    model,
    algorithm: { plugin: algorithm, options },
  }).map((option) => ({
    ...option,
    set: [...written.origins.keys()].some(
      (path) => path === option.path || path.startsWith(`${option.path}.`),
    ),
  }));
  return { spec: deepFreeze(spec), derived, sources, inert, hash: specHash(spec) };
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
  readonly environment: ResolvedPlugin;
  readonly algorithm: ResolvedPlugin;
  readonly model: ModelChoice | undefined;
  readonly rewards: readonly ResolvedPlugin[];
}

/** Keys next to `use` that control where a plugin runs. */
const isolationKeys = ['isolation', 'callTimeoutMs'];
const defaultCallTimeoutMs = 10_000;

const unresolved: ResolvedPlugin = { plugin: undefined, options: {} };

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
  const rewards = Array.isArray(from['rewards']) ? (from['rewards'] as unknown[]) : [];
  reportDuplicates(written, rewards, problems);
  return {
    environment: one('environment', ['environment'], from['environment'], isolationKeys),
    algorithm: one('algorithm', ['algorithm'], from['algorithm']),
    model: resolveModelChoice(written, registry, from['model'], problems),
    rewards: rewards.map((reward, index) =>
      one('reward', ['rewards', String(index)], reward, ['weight', ...isolationKeys]),
    ),
  };
}

function reportDuplicates(written: ConfigInput, rewards: readonly unknown[], problems: Problem[]): void {
  const seen = new Set<unknown>();
  rewards.forEach((reward, index) => {
    const use = isRecord(reward) ? reward['use'] : undefined;
    const path = `rewards.${index}.use`;
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

/** Micro-batch size at which small models are fastest, in tokens (docs/log). */
const minMicroBatchTokens = 2048;

interface Assembled {
  readonly spec: RunSpec;
  readonly derived: DerivedNumbers;
  readonly derivedPaths: ReadonlySet<string>;
  /** memory asked for a smaller micro-batch */
  readonly isFitted: boolean;
  readonly critic: boolean;
}

interface AssembleContext {
  readonly registry: PluginRegistry;
  readonly model: ModelLimits | undefined;
  readonly fitMicroBatch: FoundModel['fitMicroBatch'];
  readonly begunMicroBatch: FoundModel['begunMicroBatch'];
  readonly fileName: string | undefined;
  /** the prompt as it was written */
  readonly prompt: PromptChoice;
}

/** Combines core, options and derived numbers. */
function assemble(
  core: CoreSpec,
  plugins: ResolvedPlugins,
  { registry, model, fitMicroBatch, begunMicroBatch, fileName, prompt }: AssembleContext,
): Assembled {
  const derivedPaths = new Set<string>();
  if (core.name === undefined) derivedPaths.add('name');
  const environment = plugins.environment.plugin as ConfigurableEnvironment;
  const algorithm = plugins.algorithm.plugin as ConfigurableAlgorithm;
  const limits = environment.limits(plugins.environment.options);
  const contextTokens = core.rollout.contextTokens ?? model?.contextLength;
  if (core.rollout.contextTokens === undefined && contextTokens !== undefined)
    derivedPaths.add('rollout.contextTokens');
  if (prompt.preset === undefined) derivedPaths.add('rollout.prompt.preset');
  if (core.update.microBatchTokens === undefined) derivedPaths.add('update.microBatchTokens');
  const wanted = Math.max(minMicroBatchTokens, contextTokens ?? 0);
  const given = core.update.microBatchTokens ?? begunMicroBatch;
  const microBatchTokens = given ?? fitMicroBatch?.(wanted, core) ?? wanted;
  const spec: RunSpec = {
    ...core,
    update: {
      ...core.update,
      microBatchTokens,
    },
    name: core.name ?? fileName ?? `${core.environment.use}-${core.algorithm.use}`.toLowerCase(),
    environment: {
      use: core.environment.use,
      ...isolationOf('environment', core.environment, registry),
      ...plugins.environment.options,
    },
    algorithm: { use: core.algorithm.use, ...plugins.algorithm.options },
    rewards: core.rewards.map(({ use, weight, ...rest }, index) => ({
      use,
      weight,
      ...isolationOf('reward', { use, ...rest }, registry),
      ...plugins.rewards[index]?.options,
    })),
    rollout: {
      ...core.rollout,
      prompt: choosePrompt(prompt, model, plugins.model ?? core.model),
      maxTurns: core.rollout.maxTurns ?? limits.maxTurns,
      maxActions: core.rollout.maxActions ?? limits.maxActions,
      maxActionsPerTurn: core.rollout.maxActionsPerTurn ?? limits.maxActionsPerTurn,
      ...(contextTokens === undefined ? {} : { contextTokens }),
    },
  };
  const derived = deriveNumbers(core, algorithm.keptShare(plugins.algorithm.options));
  const isFitted = given === undefined && microBatchTokens < wanted;
  return { spec, derived, derivedPaths, isFitted, critic: algorithm.needs(plugins.algorithm.options).critic };
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

/** Isolation options of a plugin; empty when it runs in this process by default. */
function isolationOf(
  kind: 'environment' | 'reward',
  {
    use,
    isolation: requested,
    callTimeoutMs,
  }: Pick<CoreSpec['environment'], 'use' | 'isolation' | 'callTimeoutMs'>,
  registry: PluginRegistry,
): Pick<CoreSpec['environment'], 'isolation' | 'callTimeoutMs'> {
  const isolation = requested ?? (registry.isolation?.(kind, use) === 'process' ? 'process' : undefined);
  const limit = callTimeoutMs ?? (isolation === 'process' ? defaultCallTimeoutMs : undefined);
  return {
    ...(isolation === undefined ? {} : { isolation }),
    ...(limit === undefined ? {} : { callTimeoutMs: limit }),
  };
}

const limitPaths = ['rollout.maxTurns', 'rollout.maxActions', 'rollout.maxActionsPerTurn'];

/** Whether a plugin defines the default of a path. */
function isPluginPath(path: string): boolean {
  if (limitPaths.includes(path)) return true;
  const inPlugin = /^(environment|algorithm|model|rewards\.\d+)\.(.+)$/.exec(path)?.[2];
  return inPlugin !== undefined && !['use', 'weight', ...isolationKeys].includes(inPlugin);
}
