/**
 * @file Validates a graph. Tests run it after every pass; run it yourself when `encode` fails unexpectedly.
 */
import { AppError } from '@espalier/contracts';
import { termsOf } from './dim.js';
import { CONSTANT, type ConstantTensor, type Graph, INPUT, type Node } from './graph.js';
import { entryCount, isSameShape, printShape } from './shape.js';
import type { Tensor } from './tensor.js';

/**
 * Throws when a graph is invalid.
 *
 * Valid: it has outputs; nodes come after their inputs (so there is no cycle) and belong to the graph; types are what the
 * operators infer; constants fill their shapes; every named size is exactly the size of an axis of some input.
 *
 * @throws graph.illegal
 */
export function check(graph: Graph): void {
  if (graph.outputs.size === 0) throw illegal('no outputs; name at least one with graph.output');
  const seen = new Set<Tensor>();
  graph.nodes.forEach((node, index) => {
    checkNode(node, index, seen);
    for (const output of node.outputs) {
      if (output.graph !== graph) throw illegal(`node ${label(node)} has an output of another graph`);
      seen.add(output);
    }
  });
  for (const [name, tensor] of [...graph.outputs, ...graph.inputs]) {
    if (!seen.has(tensor)) throw illegal(`"${name}" is not an output of any node of the graph`);
  }
  for (const name of graph.inputs.keys()) {
    if (graph.outputs.has(name)) throw illegal(`"${name}" is both an input and an output; names must differ`);
  }
  checkSizes(graph);
}

function checkNode(node: Node, index: number, seen: ReadonlySet<Tensor>): void {
  if (node.id !== index)
    throw illegal(`node ${label(node)} is at index ${index}; ids must follow the order of nodes`);
  for (const input of node.inputs) {
    if (!seen.has(input)) throw illegal(`node ${label(node)} uses a tensor that no earlier node produces`);
  }
  if (node.op === INPUT) return;
  if (node.op === CONSTANT) {
    const { shape } = node.outputs[0] as Tensor;
    const { length } = (node.attributes as ConstantTensor).values;
    if (entryCount(shape) !== length)
      throw illegal(`constant ${label(node)} has ${length} entries for ${printShape(shape)}`);
    return;
  }
  const types = node.op.infer(node.inputs, node.attributes);
  node.outputs.forEach(({ dtype, shape }, i) => {
    const type = types[i];
    if (type === undefined || type.dtype !== dtype || !isSameShape(type.shape, shape)) {
      const inferred = type === undefined ? 'nothing' : `${type.dtype} ${printShape(type.shape)}`;
      throw illegal(
        `node ${label(node)} has type ${dtype} ${printShape(shape)}, but its operator infers ${inferred}`,
      );
    }
  });
}

/** Every named size must be the size of an axis of an input. */
function checkSizes(graph: Graph): void {
  const readable = new Set([...graph.inputs.values()].flatMap(({ shape }) => shape.map(String)));
  for (const node of graph.nodes) {
    for (const { shape } of node.outputs) {
      for (const name of shape.flatMap((size) => termsOf(size).flatMap(({ names }) => names))) {
        if (!readable.has(name))
          throw illegal(`size "${name}" of node ${label(node)} is not the size of an axis of any input`);
      }
    }
  }
}

const label = ({ op, id }: Node): string => `${op.name}_${id}`;

function illegal(finding: string): AppError {
  return new AppError('graph.illegal', `check: ${finding}`);
}
