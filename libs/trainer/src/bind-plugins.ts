/** @file The plugins that a resolved spec chooses, with their options. */
import type { RunSpec } from '@espalier/contracts';
import type { SingleSpec } from '@espalier/contracts/mixing';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import type { DefinitionKinds, EnvironmentDefinition } from '@espalier/plugin-kit';
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
export function bindEnvironment(spec: SingleSpec, registry: PluginLookup): BoundEnvironment {
  return {
    definition: registry.get('environment', spec.environment.use),
    params: paramsOf(spec.environment),
  };
}

/**
 * Gives the rollout options of episodes. An environment in a process of its own has its calls timed there, so that time
 * spent queueing for the process does not count.
 */
export function rolloutOf({ rollout, environment }: SingleSpec): RunSpec['rollout'] {
  return environment.isolation === 'process' ? { ...rollout, environmentTimeoutMs: 0 } : rollout;
}

/** Finds the rewards, in the order of the spec. @throws plugin.not_found */
export function bindRewards(spec: RunSpec, registry: PluginLookup): BoundReward[] {
  return spec.rewards.map((chosen) =>
    bindReward(registry.get('reward', chosen.use), paramsOf(chosen, 'weight'), chosen.weight),
  );
}

/** Finds the folder of the base that a model is named with. */
export const baseFolderOf = (model: ModelChoice, registry: PluginLookup): string | undefined =>
  'use' in model || !('path' in model) || model.base === undefined
    ? undefined
    : modelFolderOf(model.base, registry);

/**
 * Finds the folder of a model: its path, that of a model plugin, or where a model of a hub was downloaded to.
 *
 * @throws plugin.not_found
 */
export function modelFolderOf(model: ModelChoice, registry: PluginLookup, downloaded?: string): string {
  if ('use' in model) return registry.get('model', model.use).folder(paramsOf(model));
  if ('path' in model) return model.path;
  if (downloaded !== undefined) return downloaded;
  throw new TypeError(`modelFolderOf: the model ${model.hub} of a hub was not downloaded before`);
}
