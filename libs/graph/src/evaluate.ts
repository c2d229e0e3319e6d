/**
 * @file Reference evaluation of a graph, node by node, without a runtime: slow and easy to trust. Gradients are tested
 * against it, and it settles doubts about a runtime's results.
 */
import { AppError } from '@espalier/contracts';
import { createArray } from './arrays.js';
import { type Dim, resolveDim } from './dim.js';
import { CONSTANT, type ConstantTensor, type Graph, INPUT, type Node } from './graph.js';
import type { NumericArray } from './op.js';
import { printShape } from './shape.js';
import type { Tensor } from './tensor.js';

/** Values of an input: entries in row-major order; int64 may be given as bigint. */
export interface Feed {
  readonly shape: readonly number[];
  readonly values: ArrayLike<number> | ArrayLike<bigint>;
}

/** Feeds by input name. */
export type Feeds = Readonly<Record<string, Feed>>;

/** How floating-point entries are stored between nodes; sums inside a node are always float64. */
export interface EvaluateOptions {
  /** Default float64, whatever the dtypes. */
  readonly precision?: 'float64' | 'float32';
  /** Values of tensors that are not computed again, such as what a gradient treats as constant. */
  readonly held?: ReadonlyMap<Tensor, NumericArray>;
}

/**
 * Computes all outputs of a graph.
 *
 * @throws graph.missing_feed, graph.shape_mismatch, graph.unbound_size, graph.index_out_of_range
 */
export function evaluate(
  graph: Graph,
  feeds: Feeds,
  options: EvaluateOptions = {},
): Record<string, NumericArray> {
  const values = evaluateTensors(graph, [...graph.outputs.values()], feeds, options);
  return Object.fromEntries(
    [...graph.outputs.keys()].map((name, index) => [name, values[index] as NumericArray]),
  );
}

/** Computes some tensors of a graph. */
function evaluateTensors(
  graph: Graph,
  wanted: readonly Tensor[],
  feeds: Feeds,
  options: EvaluateOptions = {},
): NumericArray[] {
  const precision = options.precision ?? 'float64';
  const sizes = bindSizes(graph, feeds);
  const known = new Map<Tensor, NumericArray>();
  const needed = ancestors(wanted);
  for (const node of graph.nodes) {
    if (!needed.has(node)) continue;
    const outputs = node.outputs.map(({ dtype, shape }) =>
      createArray(
        dtype,
        shape.map((size) => resolveDim(size, sizes)),
        precision,
      ),
    );
    if (node.op === INPUT) fillFromFeed(node, outputs[0] as NumericArray, feeds);
    else if (node.op === CONSTANT)
      (outputs[0] as NumericArray).values.set((node.attributes as ConstantTensor).values);
    else {
      const inputs = node.inputs.map((input) => known.get(input) as NumericArray);
      node.op.evaluate({
        inputs,
        outputs,
        attributes: node.attributes,
        sizeOf: (size: Dim) => resolveDim(size, sizes),
      });
    }
    node.outputs.forEach((output, index) =>
      known.set(output, options.held?.get(output) ?? (outputs[index] as NumericArray)),
    );
  }
  return wanted.map((tensor) => known.get(tensor) as NumericArray);
}

/** All nodes that the given tensors depend on. */
export function ancestors(wanted: readonly Tensor[]): ReadonlySet<Node> {
  const needed = new Set<Node>();
  const open = wanted.map((tensor) => tensor.node);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (needed.has(node)) continue;
    needed.add(node);
    for (const input of node.op.transparent === true ? node.inputs.slice(0, 1) : node.inputs)
      open.push(input.node);
  }
  return needed;
}

/** Reads named sizes from the feeds; throws when their sizes contradict the graph or each other. */
function bindSizes(graph: Graph, feeds: Feeds): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [name, tensor] of graph.inputs) {
    const shape = feeds[name]?.shape;
    if (shape === undefined) continue;
    tensor.shape.forEach((size, axis) => {
      const only = typeof size === 'object' && size.terms.length === 1 ? size.terms[0] : undefined;
      const variable = only?.coefficient === 1 && only.names.length === 1 ? only.names[0] : undefined;
      if (variable !== undefined && !sizes.has(variable) && shape[axis] !== undefined)
        sizes.set(variable, shape[axis]);
    });
  }
  for (const [name, tensor] of graph.inputs) {
    const shape = feeds[name]?.shape;
    if (shape === undefined) continue;
    const isFitting =
      shape.length === tensor.rank &&
      tensor.shape.every((size, axis) => resolveDim(size, sizes) === shape[axis]);
    if (!isFitting) {
      const bound = [...sizes].map(([key, value]) => `${key} = ${value}`).join(', ');
      throw new AppError(
        'graph.shape_mismatch',
        `input ${name}: got ${printShape(shape)}; expected ${printShape(tensor.shape)}${bound === '' ? '' : ` with ${bound}`}`,
      );
    }
  }
  return sizes;
}

function fillFromFeed(node: Node, target: NumericArray, feeds: Feeds): void {
  const { name } = node.attributes as { readonly name: string };
  const feed = feeds[name];
  if (feed === undefined)
    throw new AppError(
      'graph.missing_feed',
      `evaluate: input "${name}" has no feed; every input in use needs one`,
    );
  if (feed.values.length !== target.values.length) {
    throw new AppError(
      'graph.shape_mismatch',
      `input ${name}: ${feed.values.length} entries for ${printShape(target.shape)}; expected ${target.values.length}`,
    );
  }
  for (let i = 0; i < target.values.length; i += 1) target.values[i] = Number(feed.values[i]);
}
