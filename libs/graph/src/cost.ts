/**
 * @file Static cost of running a graph: FLOPs of matrix products, bytes moved, nodes run, and peak bytes of temporaries.
 * A tensor lives from its node to its last reader; elementwise operators reuse the memory of an operand that dies there;
 * reshaping is free. Nothing is executed.
 */
import { type Dim, resolveDim } from './dim.js';
import { ancestors } from './evaluate.js';
import { CONSTANT, type Graph, INPUT, type Node } from './graph.js';
import type { DType, Tensor } from './tensor.js';

/** The cost of one run. */
export interface GraphCost {
  /** of matrix products: two per multiply-add */
  readonly flop: number;
  /** read and written by all nodes */
  readonly movedBytes: number;
  /** nodes that a runtime executes */
  readonly nodes: number;
  /** peak of temporaries alive at once, without inputs, constants and named outputs */
  readonly peakBytes: number;
}

const bytesOf: Readonly<Record<DType, number>> = {
  float32: 4,
  float64: 8,
  int64: 8,
  int32: 4,
  int8: 1,
  uint8: 1,
  bool: 1,
  float16: 2,
  bfloat16: 2,
};
/** Operators whose result may reuse the memory of an operand of the same size. */
const inPlace = new Set([
  'add',
  'sub',
  'mul',
  'div',
  'exp',
  'log',
  'sqrt',
  'neg',
  'abs',
  'reciprocal',
  'sigmoid',
  'tanh',
  'clip',
  'maximum',
  'minimum',
]);

/**
 * Estimates the cost of one run.
 *
 * @param sizes values of the named sizes of the graph's inputs
 * @throws graph.unbound_size for a size without a number
 */
export function estimateGraphCost(graph: Graph, sizes: ReadonlyMap<string, number>): GraphCost {
  const needed = ancestors([...graph.outputs.values()]);
  const nodes = graph.nodes.filter((node) => needed.has(node) && node.op !== INPUT && node.op !== CONSTANT);
  const memory = new LiveMemory(graph, nodes, sizes);
  let flop = 0;
  let movedBytes = 0;
  let count = 0;
  for (const node of nodes) {
    memory.run(node);
    if (isRename(node)) continue;
    count += 1;
    for (const tensor of [...node.inputs, ...node.outputs]) movedBytes += tensorBytes(tensor, sizes);
    if (node.op.name === 'matmul') flop += matmulFlop(node, sizes);
    if (node.op.name === 'quantizedMatmul') flop += quantizedFlop(node, sizes);
  }
  return { flop, movedBytes, nodes: count, peakBytes: memory.peak };
}

/** A runtime that takes bfloat16 computes in it, so that nothing is left of a cast from or to it. */
const isRename = ({ op, inputs, outputs }: Node): boolean =>
  op.name === 'reshape' ||
  op.name === 'after' ||
  op.transparent === true ||
  (op.name === 'cast' && [...inputs, ...outputs].some(({ dtype }) => dtype === 'bfloat16'));

function countEntries(shape: readonly Dim[], sizes: ReadonlyMap<string, number>): number {
  return shape.reduce<number>((product, size) => product * resolveDim(size, sizes), 1);
}

function tensorBytes({ shape, dtype }: Tensor, sizes: ReadonlyMap<string, number>): number {
  return countEntries(shape, sizes) * bytesOf[dtype];
}

function matmulFlop({ inputs, outputs, attributes }: Node, sizes: ReadonlyMap<string, number>): number {
  const { shape } = inputs[0] as Tensor;
  const { transposeA } = attributes as { readonly transposeA: boolean };
  const inner = resolveDim(shape.at(transposeA ? -2 : -1) as Dim, sizes);
  return 2 * inner * countEntries((outputs[0] as Tensor).shape, sizes);
}

function quantizedFlop({ inputs, outputs }: Node, sizes: ReadonlyMap<string, number>): number {
  const inner = resolveDim((inputs[0] as Tensor).shape.at(-1) as Dim, sizes);
  return 2 * inner * countEntries((outputs[0] as Tensor).shape, sizes);
}

/** Tracks live memory while nodes run in order. */
class LiveMemory {
  peak = 0;
  #live = 0;
  /** remaining readers, per owner of memory */
  readonly #readers = new Map<Tensor, number>();
  readonly #owners = new Map<Tensor, Tensor>();
  /** bytes freed after the last reader; tensors of the caller have none */
  readonly #held = new Map<Tensor, number>();
  readonly #named: ReadonlySet<Tensor>;

  constructor(
    graph: Graph,
    nodes: readonly Node[],
    readonly sizes: ReadonlyMap<string, number>,
  ) {
    this.#named = new Set(graph.outputs.values());
    for (const node of nodes) {
      if (isRename(node))
        this.#owners.set(node.outputs[0] as Tensor, this.#ownerOf(node.inputs[0] as Tensor));
      else for (const input of node.inputs) this.#count(this.#ownerOf(input), 1);
    }
  }

  run(node: Node): void {
    if (isRename(node)) return;
    const ending = new Set(node.inputs.map((input) => this.#ownerOf(input)));
    for (const input of node.inputs) this.#count(this.#ownerOf(input), -1);
    const dying = [...ending].filter((owner) => this.#readers.get(owner) === 0 && this.#held.has(owner));
    for (const output of node.outputs) this.#allocate(node, output, dying);
    this.peak = Math.max(this.peak, this.#live);
    for (const owner of dying) this.#release(owner);
    for (const output of node.outputs) if (!this.#readers.has(output)) this.#release(output);
  }

  #allocate(node: Node, output: Tensor, dying: Tensor[]): void {
    if (this.#named.has(output)) return;
    const bytes = tensorBytes(output, this.sizes);
    const taken = inPlace.has(node.op.name)
      ? dying.findIndex((owner) => this.#held.get(owner) === bytes)
      : -1;
    if (taken >= 0) this.#release(dying.splice(taken, 1)[0] as Tensor);
    this.#held.set(output, bytes);
    this.#live += bytes;
  }

  #release(owner: Tensor): void {
    this.#live -= this.#held.get(owner) ?? 0;
    this.#held.delete(owner);
  }

  #count(owner: Tensor, change: number): void {
    this.#readers.set(owner, (this.#readers.get(owner) ?? 0) + change);
  }

  #ownerOf(tensor: Tensor): Tensor {
    return this.#owners.get(tensor) ?? tensor;
  }
}
