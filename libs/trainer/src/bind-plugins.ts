/** @file A resolved spec's plugin choices as definitions with their options. */
import type { RunSpec } from '@espalier/contracts';
import type { AlgorithmDefinition, EnvironmentDefinition } from '@espalier/plugin-kit';
import { bindReward, type BoundReward } from '@espalier/rollout';
import { paramsOf, type PluginLookup } from './registry.js';

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
 * The rollout options as episodes see them: where the environment runs in a process of its own, that process keeps the
 * time limit of each call, and waiting for its turn costs nothing.
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

/** Tells where the starting model lies: a folder named by path, or that of a model plugin. @throws plugin.not_found */
export function modelFolderOf(spec: Pick<RunSpec, 'model'>, registry: PluginLookup): string {
  const { use } = spec.model;
  const isPath = use.includes('/') || use.includes('\\') || use.startsWith('.');
  return isPath ? use : registry.get('model', use).folder(paramsOf(spec.model));
}
