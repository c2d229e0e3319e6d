/**
 * @file All operators, for the tests that run all samples and for `check`.
 */
import type { OpDefinition } from '../op.js';
import { ACTIVATIONS } from './activation.js';
import { CATEGORICAL } from './categorical.js';
import { DROPOUT } from './dropout.js';
import { ELEMENTWISE } from './elementwise.js';
import { INDEXING } from './indexing.js';
import { LINEAR_ALGEBRA } from './linear-algebra.js';
import { JOINING } from './joining.js';
import { MOVEMENT } from './movement.js';
import { NORMALIZATION } from './normalization.js';
import { ORDERING } from './ordering.js';
import { QUANTIZED } from './quantized.js';
import { REDUCTIONS } from './reduction.js';
import { ROTARY } from './rotary.js';
import { SELECTION } from './selection.js';
import { SOFTMAXES } from './softmax.js';
import { SIZES } from './sizes.js';

/** All operators, by family. */
export const OPERATORS: readonly OpDefinition<unknown>[] = [
  ...ELEMENTWISE,
  ...SELECTION,
  ...ACTIVATIONS,
  ...REDUCTIONS,
  ...SOFTMAXES,
  ...LINEAR_ALGEBRA,
  ...QUANTIZED,
  ...MOVEMENT,
  ...JOINING,
  ...INDEXING,
  ...NORMALIZATION,
  ...ORDERING,
  ...ROTARY,
  ...CATEGORICAL,
  ...SIZES,
  ...DROPOUT,
] as readonly OpDefinition<unknown>[];
