/** @file The plugins that a resolved spec chooses, with their options. */
import type { RunSpec } from '@espalier/contracts';
import type { AlgorithmDefinition, DefinitionKinds, EnvironmentDefinition } from '@espalier/plugin-kit';
import { bindReward, type BoundReward } from '@espalier/rollout';

/** What the trainer needs of installed plugins; the plugin host's registry provides it. */
export interface PluginLookup {
  /** @throws plugin.not_found naming the installed ids */
  get<Kind extends keyof DefinitionKinds>(kind: Kind, id: string): DefinitionKinds[Kind];
}

/** Gives the options of a plugin: all keys but `use` and those that the core reads. */
export function paramsOf(chosen: Readonly<Record<string, unknown>>, ...hostKeys: readonly string[]): unknown {
  const hidden = new Set(['use', 'isolation', 'callTimeoutMs', ...hostKeys]);
  return Object.fromEntries(Object.entries(chosen).filter(([key]) => !hidden.has(key)));
}

export interface BoundEnvironment {
  readonly definition: EnvironmentDefinition<unknown>;
  readonly params: unknown;
}

/** Finds the environment. @throws plugin.not_found */
export function bindEnvironment(spec: RunSpec, registry: PluginLookup): BoundEnvironment {
  return {
    definition: registry.get('environment', spec.environment.use),
    params: paramsOf(spec.environment),
  };
}

/**
 * Gives the rollout options of episodes. An environment in a process of its own has its calls timed there, so that time
 * spent queueing for the process does not count.
 */
export function rolloutOf({ rollout, environment }: RunSpec): RunSpec['rollout'] {
  return environment.isolation === 'process' ? { ...rollout, environmentTimeoutMs: 0 } : rollout;
}

/** Finds the rewards, in the order of the spec. @throws plugin.not_found */
export function bindRewards(spec: RunSpec, registry: PluginLookup): BoundReward[] {
  return spec.rewards.map((chosen) =>
    bindReward(registry.get('reward', chosen.use), paramsOf(chosen, 'weight'), chosen.weight),
  );
}

/** Finds the algorithm. @throws plugin.not_found */
export function bindAlgorithm(
  spec: RunSpec,
  registry: PluginLookup,
): { readonly algorithm: AlgorithmDefinition<unknown>; readonly algorithmParams: unknown } {
  return {
    algorithm: registry.get('algorithm', spec.algorithm.use),
    algorithmParams: paramsOf(spec.algorithm),
  };
}

/** Finds the folder of the starting model: a path, or the folder of a model plugin. @throws plugin.not_found */
export function modelFolderOf(spec: Pick<RunSpec, 'model'>, registry: PluginLookup): string {
  const { use } = spec.model;
  const isPath = use.includes('/') || use.includes('\\') || use.startsWith('.');
  return isPath ? use : registry.get('model', use).folder(paramsOf(spec.model));
}
