// Graphs and tensors.
export { Graph, type Node } from './graph.js';
export { Tensor, type DType, type Operand, type TensorType } from './tensor.js';
export { type Dim, NamedSize, dim, dimDifference, dimProduct, dimSum, resolveDim } from './dim.js';
export { type Shape, printShape } from './shape.js';
// Operations on a graph.
export { gradient } from './gradient.js';
export { checkpoint, withGradient } from './checkpoint.js';
export { check } from './check.js';
export { type GraphCost, estimateGraphCost } from './cost.js';
export { type Feeds, evaluate } from './evaluate.js';
export { type EncodeOptions, encode, type FixedValues } from './onnx/encode.js';
// Defining operators, and the list of all.
export {
  type NumericArray,
  type OpDefinition,
  type Sample,
  apply,
  applyAll,
  defineOp,
  noGradient,
} from './op.js';
export { OPERATORS } from './ops/registry.js';
// The operators, by family.
export { geGlu, sigmoid, silu, swiGlu, tanh } from './ops/activation.js';
export { entropy, tokenLogProbs } from './ops/categorical.js';
export { DROPOUT_PRIME, dropoutMask, type DropoutRows } from './ops/dropout.js';
export { abs, add, addScalar, div, exp, floor, log, maximum, minimum, mul } from './ops/elementwise.js';
export { neg, reciprocal, scale, sign, sqrt, square, sub } from './ops/elementwise.js';
export { gather, gatherElements, scatterAdd, scatterRows } from './ops/indexing.js';
export { concat, pad, slice, split } from './ops/joining.js';
export { matmul, type MatMulOptions } from './ops/linear-algebra.js';
export { after, broadcastTo, expandDims, reshape, squeeze, transpose, zeros } from './ops/movement.js';
export { rmsNorm } from './ops/normalization.js';
export { sortDescending } from './ops/ordering.js';
export { QUANTIZED_BLOCK, QUANTIZED_ZERO, quantizedMatmul } from './ops/quantized.js';
export { cumSum, max, mean, min, type ReduceOptions, sum } from './ops/reduction.js';
export { rope } from './ops/rotary.js';
export { cast, clip, equal, greater, greaterOrEqual, less, lessOrEqual } from './ops/selection.js';
export { logicalAnd, logicalNot, logicalOr, stopGradient, where } from './ops/selection.js';
export { dimValue, range } from './ops/sizes.js';
export { logSoftmax, logSumExp, softmax } from './ops/softmax.js';
