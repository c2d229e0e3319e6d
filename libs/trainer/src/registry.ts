/**
 * @file What the trainer asks of installed plugins. The host's registry fits it; a test needs a map.
 */
import type {
  AlgorithmDefinition,
  EnvironmentDefinition,
  ModelDefinition,
  RewardDefinition,
} from '@espalier/plugin-kit';

export interface PluginKinds {
  readonly environment: EnvironmentDefinition<unknown>;
  readonly reward: RewardDefinition<unknown>;
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly model: ModelDefinition<unknown>;
}

export interface PluginLookup {
  /** @throws plugin.not_found naming the installed ids */
  get<Kind extends keyof PluginKinds>(kind: Kind, id: string): PluginKinds[Kind];
}

/** A plugin's own options: what stands beside `use` (and beside `weight` for a reward). */
export function paramsOf(chosen: Readonly<Record<string, unknown>>, ...hostKeys: readonly string[]): unknown {
  const hidden = new Set(['use', ...hostKeys]);
  return Object.fromEntries(Object.entries(chosen).filter(([key]) => !hidden.has(key)));
}
