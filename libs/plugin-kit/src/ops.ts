/**
 * @file The tensor operators a loss is written with, entry by entry over loss tokens; see `objective` for whole terms.
 */
export {
  abs,
  add,
  addScalar,
  cast,
  clip,
  div,
  equal,
  exp,
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  log,
  logicalAnd,
  logicalNot,
  logicalOr,
  maximum,
  minimum,
  mul,
  neg,
  reciprocal,
  scale,
  sign,
  sqrt,
  square,
  stopGradient,
  sub,
  where,
} from '@espalier/graph';
export type { Operand, Tensor } from '@espalier/graph';
