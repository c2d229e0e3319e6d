/**
 * @file A symbolic tensor: one output of one node of a graph. It has a type but no values.
 */
import type { Graph, Node } from './graph.js';
import type { Shape } from './shape.js';

/** Data types of tensor entries. */
export type DType =
  | 'float32'
  | 'float64'
  | 'float16'
  | 'bfloat16'
  | 'int64'
  | 'int32'
  | 'int8'
  | 'uint8'
  | 'bool';

/** The static type of a tensor. */
export interface TensorType {
  readonly dtype: DType;
  readonly shape: Shape;
}

/** One output of one node; created by operators only. */
export class Tensor implements TensorType {
  constructor(
    readonly graph: Graph,
    readonly node: Node,
    readonly outputIndex: number,
    readonly dtype: DType,
    readonly shape: Shape,
  ) {}

  /** Number of axes. */
  get rank(): number {
    return this.shape.length;
  }
}

// A linked plugin package brings its own copy of this file, for which our tensors are no instances of its class.
const brand = Symbol.for('espalier.tensor');
Object.defineProperty(Tensor.prototype, brand, { value: true });

/** A tensor, or a number that becomes a constant of the other operand's dtype. */
export type Operand = Tensor | number;

/** Whether any copy of this file made it. */
export function isTensor(operand: unknown): operand is Tensor {
  return typeof operand === 'object' && operand !== null && brand in operand;
}

/** Whether entries are floating-point numbers, the only ones with gradients. */
export function isFloat(dtype: DType): boolean {
  return dtype === 'float32' || dtype === 'float64' || dtype === 'float16' || dtype === 'bfloat16';
}
