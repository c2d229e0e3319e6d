import type { AlgorithmDefinition } from './define-algorithm.js';
import type { EnvironmentDefinition } from './define-environment.js';
import type { ModelDefinition } from './define-model.js';
import type { RewardDefinition } from './define-reward.js';

/** The plugin kinds and their definitions. */
export interface DefinitionKinds {
  readonly environment: EnvironmentDefinition<unknown>;
  readonly reward: RewardDefinition<unknown>;
  readonly algorithm: AlgorithmDefinition<unknown>;
  readonly model: ModelDefinition<unknown>;
}
