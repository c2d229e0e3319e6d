/**
 * @file The definition of an operator: one rule each for shape, gradient, reference evaluation and ONNX encoding, and
 * samples that test them (test/gradient runs every sample). Operators add nodes to the graph of their operands and are
 * stateless.
 */
import { AppError } from '@espalier/contracts';
import type { Dim } from './dim.js';
import { foreignTensor, type Graph, type Node } from './graph.js';
import { type DType, isTensor, type Operand, type Tensor, type TensorType } from './tensor.js';

/** A tensor with values; integers are exact up to 2^53, booleans are 0 and 1. */
export interface NumericArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: Float64Array | Float32Array;
}

/** Context of reference evaluation of one node; it fills `outputs`, whose shapes are known. */
export interface EvaluateContext<A> {
  readonly inputs: readonly NumericArray[];
  readonly outputs: readonly NumericArray[];
  readonly attributes: A;
  sizeOf(size: Dim): number;
}

/** Context of a gradient rule; gradients of outputs that the loss does not depend on are undefined. */
export interface GradientContext<A> {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly attributes: A;
  readonly gradients: readonly (Tensor | undefined)[];
}

/** Values of an ONNX attribute; integers are ints unless wrapped as `{ float }`. */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number };

/** Context of ONNX encoding of one node: value names, and functions that add ONNX nodes and small constants. */
export interface EncodeContext<A> {
  readonly node: Node;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: A;
  readonly target: EncodeTarget;
  /** what float32 products are computed in */
  readonly products: 'float32' | 'bf16';
  /** the runtime computes shapes beforehand where it can, and fuses operators */
  readonly isRewritten: boolean;
  /** Adds an ONNX node; an operator of `com.microsoft` is written `com.microsoft.Name`. */
  emit(
    opType: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: Readonly<Record<string, OnnxAttribute>>,
  ): void;
  /** A fresh value name. */
  temporary(): string;
  /** A 1-D int64 constant; equal ones are shared. */
  int64(values: readonly number[]): string;
  /** A scalar constant; equal ones are shared. */
  scalar(value: number, dtype: DType): string;
  /** A 1-D int64 tensor of sizes; named sizes are computed from the shapes of inputs. */
  sizes(shape: readonly Dim[]): string;
  /** A scalar int64 tensor of one size. */
  size(size: Dim): string;
}

/** The execution target; some operators have kernels for the CPU only. */
export type EncodeTarget = 'cpu' | 'webgpu';

/** The reason why an operator has no gradient. */
export interface NoGradient {
  readonly reason: string;
}

/** One input of a sample: shape, dtype (float32), range of its random entries (−2 to 2) or fixed entries. */
export interface SampleInput {
  readonly shape: readonly Dim[];
  readonly dtype?: DType;
  readonly range?: readonly [number, number];
  readonly values?: readonly number[];
  /** False: not differentiated (an index, a table). */
  readonly differentiable?: boolean;
}

/** A small example of an operator, on which its four rules are compared. */
export interface Sample {
  readonly title: string;
  readonly inputs: readonly SampleInput[];
  /** Values of named sizes. */
  readonly sizes?: Readonly<Record<string, number>>;
  build(inputs: readonly Tensor[], graph: Graph): Tensor | readonly Tensor[];
}

type GradientRule<A> = { rule(context: GradientContext<A>): readonly (Tensor | undefined)[] }['rule'];

/** The rules of one operator; A is the type of its attributes. */
export interface OpDefinition<A> {
  readonly name: string;
  infer(inputs: readonly Tensor[], attributes: A): readonly TensorType[];
  readonly gradient: GradientRule<A> | NoGradient;
  evaluate(context: EvaluateContext<A>): void;
  encode(context: EncodeContext<A>): void;
  readonly samples: readonly Sample[];
  /** True: the first output is an alias of the first input; nothing is encoded for it. */
  readonly transparent?: boolean;
  /** True: the backward pass computes the result again for the products that need it, instead of keeping it. */
  readonly isCheap?: boolean;
}

/** Defines an operator; throws unless it has a gradient or a reason for having none. */
export function defineOp<A>(definition: OpDefinition<A>): OpDefinition<A> {
  const { name, gradient } = definition;
  if (typeof gradient !== 'function' && gradient.reason === '') {
    throw new AppError(
      'graph.missing_gradient',
      `operator ${name}: no gradient and no reason; provide a rule or noGradient(reason)`,
    );
  }
  return definition;
}

/** Declares that an operator has no gradient. */
export function noGradient(reason: string): NoGradient {
  return { reason };
}

/** Applies an operator and returns all outputs. */
export function applyAll<A>(
  op: OpDefinition<A>,
  inputs: readonly Tensor[],
  attributes: A,
): readonly Tensor[] {
  const graph = inputs[0]?.graph;
  if (graph === undefined)
    throw new AppError(
      'graph.no_operand',
      `${op.name}: no tensor among its operands; at least one is needed`,
    );
  if (inputs.some((input) => input.graph !== graph)) throw foreignTensor(op.name);
  return graph.addNode(op as OpDefinition<unknown>, inputs, attributes, op.infer(inputs, attributes)).outputs;
}

/** Applies an operator and returns its first output. */
export function apply<A>(op: OpDefinition<A>, inputs: readonly Tensor[], attributes: A): Tensor {
  return applyAll(op, inputs, attributes)[0] as Tensor;
}

/** Converts numbers among operands to constants of the dtype of the first tensor. */
export function toTensors(op: string, operands: readonly Operand[]): Tensor[] {
  const model = operands.find(isTensor);
  if (model === undefined)
    throw new AppError('graph.no_operand', `${op}: no tensor among its operands; at least one is needed`);
  return operands.map((operand) =>
    isTensor(operand) ? operand : model.graph.constant(operand, model.dtype),
  );
}

/** Throws `graph.dtype_mismatch` unless all dtypes are equal; returns the dtype. */
export function requireSameDType(op: string, inputs: readonly Tensor[]): DType {
  const first = (inputs[0] as Tensor).dtype;
  for (const { dtype } of inputs) {
    if (dtype !== first)
      throw new AppError(
        'graph.dtype_mismatch',
        `${op}: operands are ${first} and ${dtype}; cast one of them`,
      );
  }
  return first;
}

/** Throws `graph.dtype_mismatch` unless the dtype is allowed. */
export function requireDType(op: string, tensor: Tensor, allowed: readonly DType[]): void {
  if (!allowed.includes(tensor.dtype)) {
    throw new AppError(
      'graph.dtype_mismatch',
      `${op}: an operand is ${tensor.dtype}; expected ${allowed.join(' or ')}`,
    );
  }
}
