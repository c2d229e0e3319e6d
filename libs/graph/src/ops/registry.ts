/**
 * @file Every operator, for the tests that walk all samples and for `check`.
 */
import type { OpDefinition } from '../op.js';
import { ACTIVATIONS } from './activation.js';
import { CATEGORICAL } from './categorical.js';
import { ELEMENTWISE } from './elementwise.js';
import { INDEXING } from './indexing.js';
import { LINEAR_ALGEBRA } from './linear-algebra.js';
import { MOVEMENT } from './movement.js';
import { NORMALIZATION } from './normalization.js';
import { REDUCTIONS } from './reduction.js';
import { ROTARY } from './rotary.js';
import { SELECTION } from './selection.js';
import { SIZES } from './sizes.js';

/** All operators of the language, by family. */
export const OPERATORS: readonly OpDefinition<unknown>[] = [
  ...ELEMENTWISE,
  ...SELECTION,
  ...ACTIVATIONS,
  ...REDUCTIONS,
  ...LINEAR_ALGEBRA,
  ...MOVEMENT,
  ...INDEXING,
  ...NORMALIZATION,
  ...ROTARY,
  ...CATEGORICAL,
  ...SIZES,
] as readonly OpDefinition<unknown>[];
