// The two nouns and their types.
export { Graph, type Node } from './graph.js';
export { Tensor, type DType, type Operand, type TensorType } from './tensor.js';
export {
  type Dim,
  NamedSize,
  dim,
  dimDifference,
  dimProduct,
  dimQuotient,
  dimSum,
  isSameDim,
  resolveDim,
} from './dim.js';
export { type Shape, entryCount, isSameShape, printShape } from './shape.js';
// What is done with a graph.
export { gradient } from './gradient.js';
export { checkpoint, withGradient } from './checkpoint.js';
export { check } from './check.js';
export { type Feeds, bindSizes, evaluate, evaluateTensors } from './evaluate.js';
export { type EncodeOptions, encode } from './onnx/encode.js';
export { dropDeadNodes } from './passes/drop-dead-nodes.js';
export { foldConstants } from './passes/fold-constants.js';
// How operators are made, and all of them.
export { type NumericArray, type OpDefinition, type Sample, apply, applyAll, defineOp, none } from './op.js';
export { OPERATORS } from './ops/registry.js';
// The operators: one vocabulary, a file for each family.
export * from './ops/activation.js';
export * from './ops/categorical.js';
export * from './ops/elementwise.js';
export * from './ops/indexing.js';
export * from './ops/joining.js';
export * from './ops/linear-algebra.js';
export * from './ops/movement.js';
export * from './ops/normalization.js';
export * from './ops/ordering.js';
export * from './ops/reduction.js';
export * from './ops/rotary.js';
export * from './ops/selection.js';
export * from './ops/sizes.js';
export * from './ops/softmax.js';
