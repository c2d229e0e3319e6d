/**
 * @file Elementwise tensor operators for losses over loss tokens; `objective` has complete loss terms.
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
