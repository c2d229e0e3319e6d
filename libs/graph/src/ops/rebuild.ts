/**
 * @file Operands of products that the backward pass builds again instead of keeping them: the product whose gradient needs
 * them takes a hundred times as long, and per layer they are as large as what must be kept.
 */
import { INPUT } from '../graph.js';
import { applyAll } from '../op.js';
import type { Tensor } from '../tensor.js';
import { after } from './movement.js';

/** Several products may have one operand, such as the projections to queries, keys and values. */
const rebuilt = new WeakMap<Tensor, Tensor>();

/**
 * Builds a tensor again if its operator is cheap, once `gradient` is there: a runtime that began earlier would keep it.
 * Else the tensor itself.
 */
export function rebuild(x: Tensor, gradient: Tensor): Tensor {
  const known = rebuilt.get(x);
  if (known !== undefined) return known;
  const { op, inputs, attributes } = x.node;
  if (op.name !== 'reshape' && op.isCheap !== true) return x;
  const operands = inputs.map((input) => {
    if (op.name === 'reshape') return rebuild(input, gradient);
    return input.node.op === INPUT ? input : after(input, [gradient]);
  });
  if (operands.every((operand, i) => operand === inputs[i])) return x;
  const tensor = applyAll(op, operands, attributes)[x.outputIndex] as Tensor;
  rebuilt.set(x, tensor);
  return tensor;
}
