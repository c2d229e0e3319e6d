/**
 * @file Reverse-mode differentiation: one sweep from the loss to the `wrt` tensors that adds nodes to the same graph.
 * Broadcast axes are summed back here, for all operators.
 */
import { AppError } from '@espalier/contracts';
import type { Graph, Node } from './graph.js';
import { add } from './ops/elementwise.js';
import { broadcastTo, reshape, zeros } from './ops/movement.js';
import { sum } from './ops/reduction.js';
import { isSameShape, printShape, type Shape } from './shape.js';
import { isFloat, type Tensor } from './tensor.js';

/**
 * Builds the gradient of `loss` with respect to tensors of its graph.
 *
 * @param loss scalar, unless `seed` is given
 * @param seed gradient of the loss itself, of its shape; default 1
 * @returns    one tensor per entry of `wrt`, of its shape; zeros where the loss does not depend on it
 * @throws     graph.loss_not_scalar, graph.no_gradient
 */
export function gradient(loss: Tensor, wrt: readonly Tensor[], seed?: Tensor): Tensor[] {
  if (seed === undefined && loss.rank !== 0) {
    throw new AppError(
      'graph.loss_not_scalar',
      `gradient: the loss is ${printShape(loss.shape)}; reduce it to a scalar or give a seed`,
    );
  }
  const dependent = nodesBetween(loss.graph, loss.node, wrt);
  const gradients = new Map<Tensor, Tensor>([[loss, seed ?? loss.graph.constant(1, loss.dtype)]]);
  for (const node of dependent.reverse()) {
    const incoming = node.outputs.map((output) => gradients.get(output));
    if (incoming.every((g) => g === undefined)) continue;
    const outgoing = backward(node, incoming);
    node.inputs.forEach((input, index) => {
      const g = outgoing[index];
      if (g === undefined || !isFloat(input.dtype)) return;
      const fitted = sumToShape(g, input.shape);
      const known = gradients.get(input);
      gradients.set(input, known === undefined ? fitted : add(known, fitted));
    });
  }
  return wrt.map((x) => gradients.get(x) ?? zeros(x, x.shape));
}

/** Nodes on a path from `wrt` to the loss, in execution order. */
function nodesBetween(graph: Graph, last: Node, wrt: readonly Tensor[]): Node[] {
  const reached = new Set<Tensor>(wrt);
  const between: Node[] = [];
  for (const node of graph.nodes.slice(0, last.id + 1)) {
    if (!node.inputs.some((input) => reached.has(input))) continue;
    node.outputs.forEach((output) => isFloat(output.dtype) && reached.add(output));
    between.push(node);
  }
  return between;
}

function backward(node: Node, gradients: readonly (Tensor | undefined)[]): readonly (Tensor | undefined)[] {
  const { op, inputs, outputs, attributes } = node;
  if (typeof op.gradient !== 'function') {
    throw new AppError(
      'graph.no_gradient',
      `gradient: ${op.name} has no gradient (${op.gradient.reason}); wrap its operand in stopGradient`,
    );
  }
  return op.gradient({ inputs, outputs, attributes, gradients });
}

/** Undoes broadcasting: sums the axes along which `shape` was repeated. */
function sumToShape(g: Tensor, shape: Shape): Tensor {
  if (isSameShape(g.shape, shape)) return g;
  if (g.rank < shape.length) return broadcastTo(g, shape);
  const offset = g.rank - shape.length;
  const axes = g.shape.flatMap((size, axis) =>
    axis < offset || (shape[axis - offset] === 1 && size !== 1) ? [axis] : [],
  );
  return reshape(sum(g, { axes, keepDims: true }), shape);
}
