/**
 * @file A loss of ours as the graph that torch.fx would trace of it, so that a server computes it in its own backward pass:
 *
 *     asked = weights ≠ 0;  loss = Σ where(asked, perToken(where(asked, logprobs, 0), columns), 0) · weights
 *
 * The wire holds 0 where nothing is asked, where a loss need not be finite.
 */
import type { LossSpec } from '@espalier/contracts';
import { Graph, type Node, type Tensor } from '@espalier/graph';
import type { LossBuilder } from '@espalier/objective';
import type { TracedLoss, TracedNode } from '../wire/traced-loss.js';

/** Name of a column of a loss among the inputs of a datum, where names are small letters and `logprobs` is taken. */
export const inputName = (column: string): string =>
  column.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const known = new WeakMap<LossSpec, TracedLoss | undefined>();

/** Traces a loss; `undefined` if it uses what PyTorch has no single function for. */
export function traceLoss(loss: LossSpec): TracedLoss | undefined {
  if (!known.has(loss)) known.set(loss, trace(loss));
  return known.get(loss);
}

/** An argument as the wire has it. */
type Argument = { readonly ref: string } | number;

/** Operators are those of Python, which take a number on either side. */
const functions: Readonly<Record<string, string>> = {
  add: 'operator.add',
  sub: 'operator.sub',
  mul: 'operator.mul',
  div: 'operator.truediv',
  maximum: 'torch.maximum',
  minimum: 'torch.minimum',
  neg: 'operator.neg',
  exp: 'torch.exp',
  log: 'torch.log',
  sqrt: 'torch.sqrt',
  abs: 'torch.abs',
  sign: 'torch.sign',
  reciprocal: 'torch.reciprocal',
  sigmoid: 'torch.sigmoid',
  tanh: 'torch.tanh',
  equal: 'operator.eq',
  less: 'operator.lt',
  greater: 'operator.gt',
  lessOrEqual: 'operator.le',
  greaterOrEqual: 'operator.ge',
  logicalAnd: 'torch.logical_and',
  logicalOr: 'torch.logical_or',
  logicalNot: 'torch.logical_not',
  where: 'torch.where',
};

/** Arithmetic on numbers alone, such as a weight of 0 times what it switches off. */
const folds: Readonly<Record<string, ((...values: number[]) => number) | undefined>> = {
  stopGradient: (x) => x as number,
  neg: (x) => 0 - (x as number),
  add: (a, b) => (a as number) + (b as number),
  mul: (a, b) => (a as number) * (b as number) + 0,
};

const dtypes: readonly string[] = ['float32', 'bool'];

function trace(loss: LossSpec): TracedLoss | undefined {
  const { graph, perToken } = buildGraph(loss);
  const nodes: TracedNode[] = [];
  const add = (op: TracedNode['op'], target: string, args: readonly unknown[], kwargs = {}): Argument => {
    const name = op === 'placeholder' ? target : `n${nodes.length}`;
    nodes.push({ op, name, target, args: [...args], kwargs });
    return { ref: name };
  };
  const inputs = ['logprobs', 'weights', ...loss.columns.map(inputName)];
  const [logprobs, weights, ...columns] = inputs.map((name) => add('placeholder', name, []));
  const asked = add('call_function', 'operator.ne', [weights, 0]);
  const values = new Map<string, Argument>([
    ['logprobs', add('call_function', 'torch.where', [asked, logprobs, 0])],
    // a loss whose gradient reads them is refused before (loss-route.ts)
    ['entropies', 0],
    ...loss.columns.map((name, i) => [name, columns[i] as Argument] as const),
  ]);
  const found = new Map<Node, Argument>();
  for (const node of neededNodes(graph, perToken)) {
    const { name } = node.op;
    const args = node.inputs.map((tensor) => found.get(tensor.node) as Argument);
    const argument =
      name === 'input'
        ? values.get((node.attributes as { readonly name: string }).name)
        : name === 'constant'
          ? scalarOf(node)
          : translate(node, args, add);
    if (argument === undefined) return undefined;
    found.set(node, argument);
  }
  const chosen = add('call_function', 'torch.where', [asked, found.get(perToken.node), 0]);
  const total = add('call_function', 'torch.sum', [add('call_function', 'operator.mul', [chosen, weights])]);
  nodes.push({
    op: 'output',
    name: 'output',
    target: 'output',
    args: [{ tuple: [total, { dict: {} }] }],
    kwargs: {},
  });
  return {
    name: loss.id.replace(/[^A-Za-z0-9]+/g, '_'),
    inputs: inputs.map((name) => ({ name, rank: 1 })),
    graph: { format: 1, nodes },
  };
}

function buildGraph(loss: LossSpec): { readonly graph: Graph; readonly perToken: Tensor } {
  const graph = new Graph();
  const input = (name: string): Tensor => graph.input(name, 'float32', ['tokens']);
  const { perToken } = (loss.build as LossBuilder)({
    logprobs: input('logprobs'),
    entropies: input('entropies'),
    columns: Object.fromEntries(loss.columns.map((name) => [name, input(name)])),
    params: loss.params,
  });
  return { graph, perToken };
}

/** Nodes that a tensor depends on, in an order in which they can be computed. */
function neededNodes({ nodes }: Graph, { node: last }: Tensor): Node[] {
  const needed = new Set([last]);
  for (const node of nodes.toReversed())
    if (needed.has(node)) for (const { node: earlier } of node.inputs) needed.add(earlier);
  return nodes.filter((node) => needed.has(node));
}

function scalarOf({ attributes, outputs }: Node): number | undefined {
  const { values } = attributes as { readonly values: ArrayLike<number> };
  return outputs[0]?.rank === 0 ? values[0] : undefined;
}

type Add = (op: TracedNode['op'], target: string, args: readonly unknown[], kwargs?: object) => Argument;

/** One node as a call; `undefined` if there is no such function. */
function translate({ op, attributes }: Node, args: readonly Argument[], add: Add): Argument | undefined {
  const { name } = op;
  const numbers = args.filter((argument) => typeof argument === 'number');
  if (numbers.length === args.length) return folds[name]?.(...numbers);
  if (name === 'stopGradient') return add('call_method', 'detach', args);
  if (name === 'clip') {
    const { low, high } = attributes as { readonly low: number; readonly high: number };
    const bounds = Object.entries({ min: low, max: high }).filter(([, bound]) => Number.isFinite(bound));
    return add('call_function', 'torch.clamp', args, Object.fromEntries(bounds));
  }
  if (name === 'cast') {
    const { dtype } = attributes as { readonly dtype: string };
    return dtypes.includes(dtype) ? add('call_method', 'to', [...args, { dtype }]) : undefined;
  }
  const target = functions[name];
  if (target === undefined) return undefined;
  // PyTorch's maximum and minimum take no numbers
  const bound = name === 'maximum' ? 'min' : name === 'minimum' ? 'max' : undefined;
  if (bound !== undefined && numbers.length > 0) {
    const tensor = args.find((argument) => typeof argument !== 'number');
    return add('call_function', 'torch.clamp', [tensor], { [bound]: numbers[0] });
  }
  return add('call_function', target, args);
}
