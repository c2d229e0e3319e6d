/**
 * @file Custom differentiation of a part of a graph: by a custom gradient rule, or by recomputation (gradient
 * checkpointing), which trades time for memory (Chen et al. 2016, arXiv:1604.06174).
 */
import { gradient } from './gradient.js';
import { apply, defineOp, type OpDefinition } from './op.js';
import { after } from './ops/movement.js';
import type { Tensor } from './tensor.js';

/** Builds gradients of the inputs from the gradient of the output; undefined where there is none. */
export type BackwardRule = (gradient: Tensor, output: Tensor) => readonly (Tensor | undefined)[];

interface CustomAttributes {
  readonly rule: BackwardRule;
}

const CUSTOM: OpDefinition<CustomAttributes> = defineOp<CustomAttributes>({
  name: 'withGradient',
  infer: ([output]) => [output as Tensor],
  gradient: ({ outputs, attributes, gradients }) => [
    undefined,
    ...attributes.rule(gradients[0] as Tensor, outputs[0] as Tensor),
  ],
  evaluate: ({ inputs, outputs }) => outputs[0]?.values.set(inputs[0]?.values ?? []),
  encode: () => undefined,
  transparent: true,
  samples: [],
});

/** Gives `output`, built from `inputs`, a custom gradient: the nodes in between are not differentiated. */
export function withGradient(output: Tensor, inputs: readonly Tensor[], rule: BackwardRule): Tensor {
  return apply(CUSTOM, [output, ...inputs], { rule });
}

/**
 * Builds `build(...inputs)` and recomputes it in the backward pass instead of keeping the intermediate tensors.
 *
 * Everything that needs a gradient, including weights, must be among `inputs`. The second computation begins once the
 * gradient of the result is there: a runtime that began earlier would keep what it is meant to save.
 */
export function checkpoint(inputs: readonly Tensor[], build: (inputs: readonly Tensor[]) => Tensor): Tensor {
  return withGradient(build(inputs), inputs, (g) => {
    const again = inputs.map((input) => after(input, [g]));
    return gradient(build(again), again, g);
  });
}
