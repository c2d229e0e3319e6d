import type {
  AlgorithmDefinition,
  EnvironmentDefinition,
  ModelDefinition,
  RewardDefinition,
} from '@espalier/plugin-kit';

/** The kinds of plugins. */
export interface DefinitionKinds {
  readonly environment: EnvironmentDefinition<unknown>;
  readonly reward: RewardDefinition<unknown>;
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly model: ModelDefinition<unknown>;
}

export type PluginKind = keyof DefinitionKinds;

/** A definition of any kind. */
export type AnyDefinition = DefinitionKinds[PluginKind];

/** Where a definition comes from. */
export interface PluginSource {
  /** name of the npm package */
  readonly package: string;
  readonly version: string;
  /** absolute */
  readonly folder: string;
}
