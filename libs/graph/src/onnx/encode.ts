/**
 * @file Encodes a graph as ONNX bytes. Nodes that no output depends on are omitted; names consist of operator and node id
 * (`matmul_12`).
 */
import { AppError } from '@espalier/contracts';
import { isFixed } from '../dim.js';
import { ancestors } from '../evaluate.js';
import { CONSTANT, type ConstantTensor, type Graph, INPUT, type Node } from '../graph.js';
import type { EncodeContext, EncodeTarget, OnnxAttribute } from '../op.js';
import { entryCount } from '../shape.js';
import type { DType, Tensor } from '../tensor.js';
import { createSizes, type Sizes } from './sizes.js';
import { encodeModel, type OnnxConstant, type OnnxNode, type OnnxValue } from './wire.js';

/** Options of the encoding. */
export interface EncodeOptions {
  /** `cpu` uses CPU-only kernels; `webgpu` avoids them. Default cpu. */
  readonly target?: EncodeTarget;
  /** `bf16` rounds the factors of products of float32 matrices, whose sums and results stay float32; default float32. */
  readonly products?: 'float32' | 'bf16';
  /** The runtime rewrites the graph: it computes shapes beforehand where it can, and fuses operators; default false. */
  readonly isRewritten?: boolean;
  /**
   * Inputs that become constants of the model, so that a runtime can prepack them once. The bytes only refer to them, each
   * as a file of its name that the runtime is given: protobuf ends at 2 GB.
   */
  readonly fixed?: ReadonlyMap<string, FixedValues>;
}

/** The values of an input that becomes a constant. */
export type FixedValues = Float32Array | Uint8Array;

/** Encodes a graph as an ONNX model; throws `graph.unbound_size` for a named size that is not the size of any input axis. */
export function encode(graph: Graph, options: EncodeOptions = {}): Uint8Array {
  if (graph.outputs.size === 0)
    throw new AppError('graph.illegal', 'encode: no outputs; name at least one with graph.output');
  const { target = 'cpu', products = 'float32', isRewritten = false } = options;
  const encoding = new Encoding(graph, { target, products, isRewritten });
  const needed = ancestors([...graph.outputs.values()]);
  for (const node of graph.nodes) if (needed.has(node)) encoding.add(node);
  encoding.finish();
  const { fixed = new Map<string, FixedValues>() } = options;
  return encodeModel({
    nodes: encoding.nodes,
    constants: [...encoding.constants, ...fixedConstants(graph, fixed)],
    inputs: [...graph.inputs]
      .filter(([name]) => !fixed.has(name))
      .map(([name, tensor]) => valueOf(name, tensor)),
    outputs: [...graph.outputs].map(([name, tensor]) => valueOf(name, tensor)),
    intermediates: encoding.intermediates,
  });
}

function fixedConstants(graph: Graph, fixed: ReadonlyMap<string, FixedValues>): OnnxConstant[] {
  return [...fixed].map(([name, values]) => {
    const tensor = graph.inputs.get(name);
    const size = tensor !== undefined && isFixed(tensor.shape) ? entryCount(tensor.shape) : undefined;
    const dtype = values instanceof Float32Array ? 'float32' : 'uint8';
    if (tensor === undefined || tensor.dtype !== dtype || size !== values.length) {
      throw new AppError(
        'graph.shape_mismatch',
        `encode: ${values.length} entries for fixed input "${name}"; expected ${size ?? `a ${dtype} input of known size`}`,
      );
    }
    return { name, dtype: tensor.dtype, shape: tensor.shape as readonly number[], file: name };
  });
}

function valueOf(name: string, { dtype, shape }: Tensor): OnnxValue {
  return { name, dtype, shape: shape.map((size) => (typeof size === 'number' ? size : size.key)) };
}

/** The state of one encoding: nodes so far, tensor names, shared constants. */
class Encoding {
  readonly nodes: OnnxNode[] = [];
  readonly constants: OnnxConstant[] = [];
  /**
   * Results of nodes. A runtime does not find out by itself that two sizes are equal, as after Reshape; told so, it gives
   * the memory of one tensor to the next instead of comparing every tensor with all that are free, which takes minutes
   * for the gradient of a model with thirty layers.
   */
  readonly intermediates: OnnxValue[] = [];
  readonly #names = new Map<Tensor, string>();
  readonly #shared = new Map<string, string>();
  readonly #outputNames = new Map<Tensor, string>();
  readonly #sizes: Sizes;
  #counter = 0;

  constructor(
    readonly graph: Graph,
    readonly choices: Pick<EncodeContext<unknown>, 'target' | 'products' | 'isRewritten'>,
  ) {
    for (const [name, tensor] of graph.outputs) {
      const isComputed =
        tensor.node.op !== INPUT && tensor.node.op !== CONSTANT && tensor.node.op.transparent !== true;
      if (isComputed && !this.#outputNames.has(tensor)) this.#outputNames.set(tensor, name);
    }
    this.#sizes = createSizes({
      graph,
      int64: (values) => this.#sharedConstant(values, 'int64', [values.length]),
      emit: (opType, inputs, outputs, attributes) => this.#emit('size', opType, inputs, outputs, attributes),
      temporary: () => this.#temporary(),
    });
  }

  add(node: Node): void {
    if (node.op === INPUT)
      return this.#name(node.outputs[0] as Tensor, (node.attributes as { readonly name: string }).name);
    if (node.op === CONSTANT) return this.#addConstant(node);
    if (node.op.transparent === true)
      return this.#name(node.outputs[0] as Tensor, this.#nameOf(node.inputs[0] as Tensor));
    const label = `${node.op.name}_${node.id}`;
    for (const [i, output] of node.outputs.entries()) {
      const outputName = this.#outputNames.get(output);
      const name = outputName ?? (i === 0 ? label : `${label}:${i}`);
      this.#name(output, name);
      if (outputName === undefined) this.intermediates.push(valueOf(name, output));
    }
    node.op.encode({
      node,
      inputs: node.inputs.map((input) => this.#nameOf(input)),
      outputs: node.outputs.map((output) => this.#nameOf(output)),
      attributes: node.attributes,
      ...this.choices,
      emit: (opType, inputs, outputs, attributes) => this.#emit(label, opType, inputs, outputs, attributes),
      temporary: () => this.#temporary(),
      int64: (values) => this.#sharedConstant(values, 'int64', [values.length]),
      scalar: (value, dtype) => this.#sharedConstant([value], dtype, []),
      sizes: (shape) => this.#sizes.vector(shape),
      size: (size) => this.#sizes.scalar(size),
    });
  }

  /** Gives every output its name, with an Identity node where the tensor already has another one. */
  finish(): void {
    for (const [name, tensor] of this.graph.outputs) {
      if (this.#nameOf(tensor) !== name)
        this.#emit(`output_${name}`, 'Identity', [this.#nameOf(tensor)], [name]);
    }
  }

  #name(tensor: Tensor, name: string): void {
    this.#names.set(tensor, name);
  }

  #nameOf(tensor: Tensor): string {
    const name = this.#names.get(tensor);
    if (name === undefined) {
      throw new AppError(
        'graph.illegal',
        `encode: ${tensor.node.op.name}_${tensor.node.id} is used before it is defined; run check on the graph`,
      );
    }
    return name;
  }

  #temporary(): string {
    this.#counter += 1;
    return `tmp_${this.#counter}`;
  }

  #emit(
    label: string,
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>> = {},
  ): void {
    const at = type.lastIndexOf('.');
    const name = `${label}/${this.nodes.length}`;
    this.nodes.push({
      opType: type.slice(at + 1),
      domain: at < 0 ? '' : type.slice(0, at),
      name,
      inputs,
      outputs,
      attributes,
    });
  }

  #addConstant(node: Node): void {
    const tensor = node.outputs[0] as Tensor;
    const { values } = node.attributes as ConstantTensor;
    const shape = tensor.shape as readonly number[];
    if (shape.length === 0)
      return this.#name(tensor, this.#sharedConstant([values[0] as number], tensor.dtype, []));
    const name = `constant_${node.id}`;
    this.constants.push({ name, dtype: tensor.dtype, shape, bytes: rawBytes(values, tensor.dtype) });
    this.#name(tensor, name);
  }

  #sharedConstant(values: readonly number[], dtype: DType, shape: readonly number[]): string {
    const key = `${dtype}[${shape.length}]:${values.map((v) => (Object.is(v, -0) ? '-0' : v)).join(',')}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const name = `shared_${this.#shared.size}`;
    this.#shared.set(key, name);
    this.constants.push({ name, dtype, shape, bytes: rawBytes(values, dtype) });
    return name;
  }
}

/** Entries as little-endian bytes, which is what typed arrays hold on every platform Node supports. */
function rawBytes(values: ArrayLike<number>, dtype: DType): Uint8Array {
  const array = typedArray(values, dtype);
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function typedArray(values: ArrayLike<number>, dtype: DType): ArrayBufferView {
  switch (dtype) {
    case 'float32':
      return new Float32Array(values);
    case 'float64':
      return new Float64Array(values);
    case 'int64':
      return BigInt64Array.from(Array.from(values, (v) => BigInt(v)));
    case 'int32':
      return new Int32Array(values);
    case 'int8':
      return new Int8Array(values);
    case 'uint8':
    case 'bool':
      return new Uint8Array(values);
    case 'float16':
    case 'bfloat16':
      throw new AppError(
        'graph.dtype_mismatch',
        `encode: ${dtype} constants are not supported; use float32 and a cast`,
      );
  }
}
