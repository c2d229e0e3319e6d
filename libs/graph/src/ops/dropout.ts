/**
 * @file The mask of dropout, as a function of keys: the entry of a row with keys (a, b) and a column with key k is dropped
 * if (a·k + b) mod p is below rate · p. Such a mask needs no memory between forward and backward pass, and has the same
 * bits on every device: with p = 46337, whose square is below 2³¹, all of it is arithmetic in int32. Over random row keys an
 * entry is uniform, and two entries of a row are independent (Carter and Wegman 1979, the class H1 over one field).
 */
import {
  apply,
  defineOp,
  noGradient,
  type NumericArray,
  type OpDefinition,
  requireDType,
  type Sample,
} from '../op.js';
import type { Dim } from '../dim.js';
import type { Tensor } from '../tensor.js';

/** Row multipliers are in 1..p−1, row offsets and column keys in 0..p−1. */
export const DROPOUT_PRIME = 46337;

interface DropoutAttributes {
  /** share of entries that are dropped */
  readonly rate: number;
}

const limitOf = (rate: number): number => Math.round(rate * DROPOUT_PRIME);

const KEYS: Sample['inputs'] = [
  { shape: [4], dtype: 'int32', values: [1, 46336, 12345, 2] },
  { shape: [4], dtype: 'int32', values: [0, 46336, 777, 23168] },
  { shape: [5], dtype: 'int32', values: [46336, 0, 23169, 5, 40000] },
];

const DROPOUT_MASK: OpDefinition<DropoutAttributes> = defineOp<DropoutAttributes>({
  name: 'dropoutMask',
  infer: (inputs) => {
    for (const input of inputs) requireDType('dropoutMask', input, ['int32']);
    const [multipliers, , columns] = inputs as [Tensor, Tensor, Tensor];
    return [{ dtype: 'float32', shape: [multipliers.shape[0] as Dim, columns.shape[0] as Dim] }];
  },
  gradient: noGradient('a mask is drawn, not computed from what is learned'),
  evaluate: ({ inputs, outputs, attributes: { rate } }) => {
    const [multipliers, offsets, columns] = inputs.map(({ values }) => values) as [
      NumericArray['values'],
      NumericArray['values'],
      NumericArray['values'],
    ];
    const { values } = outputs[0] as NumericArray;
    const limit = limitOf(rate);
    for (let place = 0; place < values.length; place += 1) {
      const row = Math.floor(place / columns.length);
      const key = (multipliers[row] as number) * (columns[place % columns.length] as number);
      values[place] = (key + (offsets[row] as number)) % DROPOUT_PRIME < limit ? 0 : 1 / (1 - rate);
    }
  },
  encode: ({ emit, inputs, outputs, attributes: { rate }, int64, scalar, temporary }) => {
    const [multipliers, offsets, columns] = inputs as [string, string, string];
    const [rows, product, shifts, sum, rest, dropped] = Array.from({ length: 6 }, temporary) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    emit('Unsqueeze', [multipliers, int64([1])], [rows]);
    emit('Mul', [rows, columns], [product]);
    emit('Unsqueeze', [offsets, int64([1])], [shifts]);
    emit('Add', [product, shifts], [sum]);
    emit('Mod', [sum, scalar(DROPOUT_PRIME, 'int32')], [rest]);
    emit('Less', [rest, scalar(limitOf(rate), 'int32')], [dropped]);
    emit('Where', [dropped, scalar(0, 'float32'), scalar(1 / (1 - rate), 'float32')], outputs);
  },
  samples: [0.1, 0.5].map((rate) => ({
    title: `dropoutMask at ${rate}`,
    inputs: KEYS,
    build: ([multipliers, offsets, columns]) =>
      dropoutMask(
        { multipliers: multipliers as Tensor, offsets: offsets as Tensor },
        columns as Tensor,
        rate,
      ),
  })),
});

/** Operators declared here. */
export const DROPOUT = [DROPOUT_MASK];

/** Keys of rows, int32. */
export interface DropoutRows {
  readonly multipliers: Tensor; // [N]
  readonly offsets: Tensor; // [N]
}

/**
 * The factors of dropout: 0, or 1 / (1 − rate) for what is kept: [N, C].
 *
 * @param columns [C] int32, distinct
 * @param rate    in [0, 1)
 */
export function dropoutMask({ multipliers, offsets }: DropoutRows, columns: Tensor, rate: number): Tensor {
  return apply(DROPOUT_MASK, [multipliers, offsets, columns], { rate });
}
