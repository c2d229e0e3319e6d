/**
 * @file A graph owns nodes in creation order, which is a valid execution order. Inputs and constants are nodes without
 * inputs; outputs are names for tensors.
 */
import { AppError } from '@espalier/contracts';
import { type Dim, dim } from './dim.js';
import type { OpDefinition } from './op.js';
import { printShape, type Shape } from './shape.js';
import { type DType, Tensor, type TensorType } from './tensor.js';

/** Values that a constant can be created from. */
export type ConstantValues =
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Uint8Array
  | readonly number[];

/** A fixed tensor as stored: entries in row-major order, integers and booleans as plain numbers. */
export interface ConstantTensor {
  readonly values: ArrayLike<number>;
}

/** One application of an operator. */
export interface Node {
  readonly id: number;
  readonly op: OpDefinition<unknown>;
  readonly inputs: readonly Tensor[];
  readonly attributes: unknown;
  readonly outputs: readonly Tensor[];
}

/** A program over symbolic tensors; operators add nodes to the graph their operands belong to. */
export class Graph {
  readonly nodes: Node[] = [];
  readonly inputs = new Map<string, Tensor>();
  readonly outputs = new Map<string, Tensor>();
  readonly #scalars = new Map<string, Tensor>();

  /** Declares an input; sizes are numbers, results of `dim`, or names. Throws `graph.duplicate_name`. */
  input(name: string, dtype: DType, shape: readonly (Dim | string)[]): Tensor {
    if (this.inputs.has(name)) throw duplicateName('input', name);
    const sizes: Shape = shape.map((size) => (typeof size === 'string' ? dim(size) : size));
    const node = this.addNode(INPUT, [], { name }, [{ dtype, shape: sizes }]);
    const tensor = node.outputs[0] as Tensor;
    this.inputs.set(name, tensor);
    return tensor;
  }

  /** Names a tensor as an output; throws `graph.duplicate_name`. */
  output(name: string, tensor: Tensor): Tensor {
    if (this.outputs.has(name)) throw duplicateName('output', name);
    if (tensor.graph !== this) throw foreignTensor(`output ${name}`);
    this.outputs.set(name, tensor);
    return tensor;
  }

  /** Creates a constant; a number gives a scalar; the default dtype is that of the array (numbers: float32). */
  constant(values: ConstantValues | number, dtype?: DType, shape?: readonly number[]): Tensor {
    if (typeof values === 'number' && (shape === undefined || shape.length === 0))
      return this.#scalar(values, dtype ?? 'float32');
    const entries = toEntries(values);
    const resolvedShape = shape ?? [entries.length];
    const count = resolvedShape.reduce((a, b) => a * b, 1);
    const filled = entries.length === 1 ? new Float64Array(count).fill(entries[0] as number) : entries;
    if (filled.length !== count) {
      throw new AppError(
        'graph.shape_mismatch',
        `constant: ${entries.length} entries for shape ${printShape(resolvedShape)}; expected ${count}`,
      );
    }
    return this.#constantNode(filled, dtype ?? dtypeOf(values), resolvedShape);
  }

  /** Adds a node; only operators (`defineOp`) call this. */
  addNode(
    op: OpDefinition<unknown>,
    inputs: readonly Tensor[],
    attributes: unknown,
    types: readonly TensorType[],
  ): Node {
    const outputs: Tensor[] = [];
    const node: Node = { id: this.nodes.length, op, inputs, attributes, outputs };
    types.forEach((type, index) => outputs.push(new Tensor(this, node, index, type.dtype, type.shape)));
    this.nodes.push(node);
    return node;
  }

  #scalar(value: number, dtype: DType): Tensor {
    const key = `${dtype}:${Object.is(value, -0) ? '-0' : value}`;
    const known = this.#scalars.get(key);
    if (known !== undefined) return known;
    const tensor = this.#constantNode([value], dtype, []);
    this.#scalars.set(key, tensor);
    return tensor;
  }

  #constantNode(values: ArrayLike<number>, dtype: DType, shape: readonly Dim[]): Tensor {
    const attributes: ConstantTensor = { values };
    return this.addNode(CONSTANT, [], attributes, [{ dtype, shape }]).outputs[0] as Tensor;
  }
}

/** Float32 entries stay what they are: tables are large. */
function toEntries(values: ConstantValues | number): Float64Array | Float32Array {
  if (typeof values === 'number') return Float64Array.of(values);
  if (values instanceof Float32Array) return values.slice();
  return values instanceof BigInt64Array ? Float64Array.from(values, Number) : new Float64Array(values);
}

function dtypeOf(values: ConstantValues | number): DType {
  if (values instanceof BigInt64Array) return 'int64';
  if (values instanceof Int32Array) return 'int32';
  if (values instanceof Uint8Array) return 'bool';
  if (values instanceof Float64Array) return 'float64';
  return 'float32';
}

function duplicateName(kind: string, name: string): AppError {
  return new AppError(
    'graph.duplicate_name',
    `${kind} "${name}": the graph already has one with this name; names must differ`,
  );
}

/** The error for a tensor used in a graph it does not belong to. */
export function foreignTensor(where: string): AppError {
  return new AppError(
    'graph.foreign_tensor',
    `${where}: the tensor belongs to another graph; build all operands in one graph`,
  );
}

function leaf(name: string): OpDefinition<unknown> {
  return {
    name,
    infer: () => [],
    gradient: { reason: `${name} has no inputs` },
    evaluate: () => undefined,
    encode: () => undefined,
    samples: [],
  };
}

/** Marks an input; its name is in the attributes. */
export const INPUT = leaf('input');
/** Marks a constant; its entries are in the attributes. */
export const CONSTANT = leaf('constant');
