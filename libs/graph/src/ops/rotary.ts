/**
 * @file Rotary position embedding in the layout of Hugging Face's Llama: the first half of a head rotates with the second.
 */
import { AppError } from '@espalier/contracts';
import {
  apply,
  defineOp,
  type EvaluateContext,
  type NumericArray,
  type OpDefinition,
  requireDType,
} from '../op.js';
import { printShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { neg } from './elementwise.js';

type Empty = Record<string, never>;

const ROPE: OpDefinition<Empty> = defineOp<Empty>({
  name: 'rope',
  infer: (inputs) => {
    const [x, positions, cos, sin] = inputs as [Tensor, Tensor, Tensor, Tensor];
    requireDType('rope', positions, ['int64']);
    const width = x.shape[3];
    const isLegal =
      x.rank === 4 && positions.rank === 2 && cos.rank === 2 && sin.rank === 2 && typeof width === 'number';
    if (!isLegal || cos.shape[1] !== width / 2 || sin.shape[1] !== width / 2) {
      throw new AppError(
        'graph.shape_mismatch',
        `rope: x ${printShape(x.shape)}, positions ${printShape(positions.shape)}, tables ${printShape(cos.shape)} and ${printShape(sin.shape)}; expected [B, H, T, d], [B, T] and twice [positions, d/2]`,
      );
    }
    return [x];
  },
  gradient: ({ inputs, gradients }) => {
    const [, positions, cos, sin] = inputs as [Tensor, Tensor, Tensor, Tensor];
    return [rope(gradients[0] as Tensor, positions, cos, neg(sin)), undefined, undefined, undefined];
  },
  evaluate: evaluateRope,
  encode: ({ emit, inputs, outputs }) =>
    emit('com.microsoft.RotaryEmbedding', inputs, outputs, { interleaved: 0 }),
  samples: [
    {
      title: 'rope at positions that differ by row',
      inputs: [
        { shape: [2, 2, 3, 4] },
        { shape: [2, 3], dtype: 'int64', values: [0, 1, 2, 3, 4, 1] },
        { shape: [5, 2], range: [-1, 1], differentiable: false },
        { shape: [5, 2], range: [-1, 1], differentiable: false },
      ],
      build: ([x, positions, cos, sin]) =>
        rope(x as Tensor, positions as Tensor, cos as Tensor, sin as Tensor),
    },
  ],
});

function evaluateRope({ inputs, outputs }: EvaluateContext<Empty>): void {
  const [x, at, cos, sin, y] = [...inputs, outputs[0]] as [
    NumericArray,
    NumericArray,
    NumericArray,
    NumericArray,
    NumericArray,
  ];
  const [batch, heads, tokens, width] = x.shape as [number, number, number, number];
  const half = width / 2;
  for (let row = 0; row < batch * heads * tokens; row += 1) {
    const b = Math.floor(row / (heads * tokens));
    const position = at.values[b * tokens + (row % tokens)] as number;
    for (let i = 0; i < half; i += 1) {
      const c = cos.values[position * half + i] as number;
      const s = sin.values[position * half + i] as number;
      const u = x.values[row * width + i] as number;
      const v = x.values[row * width + half + i] as number;
      y.values[row * width + i] = u * c - v * s;
      y.values[row * width + half + i] = v * c + u * s;
    }
  }
}

/** Operators declared here. */
export const ROTARY = [ROPE];

/**
 * Rotates pairs of entries of every head by an angle that grows with the position.
 *
 * @param x         [B, H, T, d], d even and known
 * @param positions [B, T] int64, rows of the tables
 * @param cos       [positions, d/2] cosines of the angles; not differentiated
 * @param sin       [positions, d/2] sines of the angles; not differentiated
 * @see Su et al. 2021, arXiv:2104.09864
 */
export function rope(x: Tensor, positions: Tensor, cos: Tensor, sin: Tensor): Tensor {
  return apply(ROPE, [x, positions, cos, sin], {});
}
