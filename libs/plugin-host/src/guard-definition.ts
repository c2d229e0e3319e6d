import type { AnyDefinition } from './definition-kinds.js';
import { guardAlgorithm } from './guard-algorithm.js';
import { guardEnvironment } from './guard-environment.js';
import { guardModel, guardReward } from './guard-reward.js';

/** Wraps a definition of any kind so that its errors are attributed. */
export function guardDefinition(definition: AnyDefinition): AnyDefinition {
  switch (definition.kind) {
    case 'environment':
      return guardEnvironment(definition);
    case 'reward':
      return guardReward(definition);
    case 'algorithm':
      return guardAlgorithm(definition);
    case 'model':
      return guardModel(definition);
  }
}
