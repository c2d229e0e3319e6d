/**
 * @file What passes are made of: copies a graph node by node, with a chance to replace each node.
 */
import { ancestors } from '../evaluate.js';
import { CONSTANT, type ConstantTensor, type ConstantValues, Graph, INPUT, type Node } from '../graph.js';
import type { Tensor } from '../tensor.js';

/** Gives the outputs that stand for a node in the new graph, or undefined to copy it. */
export type Replacement = (
  node: Node,
  inputs: readonly Tensor[],
  target: Graph,
) => readonly Tensor[] | undefined;

/** Copies what the outputs need into a new graph; inputs are all kept, in order. */
export function rebuild(graph: Graph, replace: Replacement = () => undefined): Graph {
  const target = new Graph();
  const moved = new Map<Tensor, Tensor>();
  for (const [name, tensor] of graph.inputs)
    moved.set(tensor, target.input(name, tensor.dtype, tensor.shape));
  const needed = ancestors([...graph.outputs.values()]);
  for (const node of graph.nodes) {
    if (node.op === INPUT || !needed.has(node)) continue;
    const kept = node.op.transparent === true ? node.inputs.slice(0, 1) : node.inputs;
    const inputs = kept.map((input) => moved.get(input) as Tensor);
    const outputs = replace(node, inputs, target) ?? copyNode(node, inputs, target);
    node.outputs.forEach((output, index) => moved.set(output, outputs[index] as Tensor));
  }
  for (const [name, tensor] of graph.outputs) target.output(name, moved.get(tensor) as Tensor);
  return target;
}

function copyNode(node: Node, inputs: readonly Tensor[], target: Graph): readonly Tensor[] {
  if (node.op.transparent === true) return inputs;
  if (node.op === CONSTANT) {
    const { dtype, shape } = node.outputs[0] as Tensor;
    const values = (node.attributes as ConstantTensor).values as ConstantValues;
    return [target.constant(values, dtype, shape as readonly number[])];
  }
  return target.addNode(node.op, inputs, node.attributes, node.outputs).outputs;
}
