export * from './define-algorithm.js';
export * from './define-environment.js';
export * from './define-model.js';
export * from './define-reward.js';
export type { DefinitionKinds } from './definition-kinds.js';
export { kitVersion, paramsJsonSchema } from './definition.js';
export { AppError } from '@espalier/contracts';
export type { ScoreRecord, Trajectory, Turn } from '@espalier/contracts';
export {
  createStream,
  deriveSeed,
  NumpyGenerator,
  type NumpyGeneratorState,
  NumpyLegacy,
  PythonRandom,
  type RandomStream,
  restoreStream,
  splitOfSeed,
} from '@espalier/random';
export * as objective from '@espalier/objective';
export * as options from './algorithm-options.js';
export * as ops from './ops.js';
export { unknownAction } from './unknown-action.js';
export * as data from './data.js';
export * as draw from './draw.js';
