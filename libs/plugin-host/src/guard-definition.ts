import type { ModelDefinition } from '@espalier/plugin-kit';
import { guard } from './boundary.js';
import { guardAlgorithm } from './guard-algorithm.js';
import { guardEnvironment } from './guard-environment.js';
import { guardReward } from './guard-reward.js';
import type { AnyDefinition } from './plugin-types.js';

/** Guards a definition of any kind, so that its errors are attributed. */
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

/** Guards a model: its folder is a string, its warnings are strings. */
function guardModel<Params>(definition: ModelDefinition<Params>): ModelDefinition<Params> {
  const { warnings } = definition;
  return {
    ...definition,
    ...(warnings === undefined
      ? {}
      : { warnings: (task) => guardWarnings(definition, () => warnings(task)) }),
    folder: (params) =>
      guard(
        definition,
        'folder',
        () => definition.folder(params),
        (folder) =>
          typeof folder === 'string' ? undefined : `returned ${typeof folder}; expected an absolute path`,
      ),
  };
}

function guardWarnings<Params>(
  definition: ModelDefinition<Params>,
  warnings: () => readonly string[],
): readonly string[] {
  return guard(definition, 'warnings', warnings, (texts) =>
    Array.isArray(texts) && texts.every((text) => typeof text === 'string')
      ? undefined
      : 'returned something else than strings; expected an array of sentences',
  );
}
