/**
 * @file Token log-probabilities and entropy, computed from logits by one operator each: logits are the largest tensor of a
 * language model, so every pass over them matters.
 */
import { AppError } from '@espalier/contracts';
import { forEachLane } from '../arrays.js';
import { type Dim, isSameDim } from '../dim.js';
import { apply, defineOp, type NumericArray, type OpDefinition, requireDType } from '../op.js';
import { printShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, mul, neg } from './elementwise.js';
import { scatterAdd } from './indexing.js';
import { expandDims } from './movement.js';
import { logSoftmax, softmax } from './softmax.js';

type Empty = Record<string, never>;

function laneLogProbabilities(lane: Float64Array): Float64Array {
  const peak = lane.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = peak + Math.log(lane.reduce((s, x) => s + Math.exp(x - peak), 0));
  return lane.map((x) => x - total);
}

const TOKEN_LOG_PROBS: OpDefinition<Empty> = defineOp<Empty>({
  name: 'tokenLogProbs',
  infer: (inputs) => {
    const [logits, ids] = inputs as [Tensor, Tensor];
    requireDType('tokenLogProbs', ids, ['int64', 'int32']);
    if (logits.rank !== 2 || ids.rank !== 1 || !isSameDim(logits.shape[0] as Dim, ids.shape[0] as Dim)) {
      throw new AppError(
        'graph.shape_mismatch',
        `tokenLogProbs: logits ${printShape(logits.shape)}, ids ${printShape(ids.shape)}; expected [N, V] and [N]`,
      );
    }
    return [{ dtype: logits.dtype, shape: ids.shape }];
  },
  gradient: ({ inputs, gradients }) => {
    const [logits, ids] = inputs as [Tensor, Tensor];
    const g = expandDims(gradients[0] as Tensor, -1); // [N, 1]
    return [scatterAdd(mul(softmax(logits, -1), neg(g)), expandDims(ids, -1), g, -1), undefined];
  },
  evaluate: ({ inputs, outputs }) => {
    const [logits, ids] = inputs as [NumericArray, NumericArray];
    forEachLane(logits, 1, (lane, _start, _step, n) => {
      (outputs[0] as NumericArray).values[n] = laneLogProbabilities(lane)[ids.values[n] as number] as number;
    });
  },
  encode: ({ emit, inputs, outputs, node, target, int64, temporary }) => {
    const [logits, ids] = inputs as [string, string];
    const column = temporary();
    const chosen = temporary();
    const total = temporary();
    emit('Unsqueeze', [ids, int64([1])], [column]);
    if (target === 'cpu' && (node.inputs[0] as Tensor).dtype !== 'float16') {
      emit('LogSoftmax', [logits], [total], { axis: -1 });
      emit('GatherElements', [total, column], [chosen], { axis: 1 });
      return emit('Squeeze', [chosen, int64([1])], outputs);
    }
    const peak = temporary();
    const centred = temporary();
    const power = temporary();
    const mass = temporary();
    const logarithm = temporary();
    emit('ReduceMax', [logits, int64([1])], [peak], { keepdims: 1 });
    emit('Sub', [logits, peak], [centred]);
    emit('Exp', [centred], [power]);
    emit('ReduceSum', [power, int64([1])], [mass], { keepdims: 1 });
    emit('Log', [mass], [logarithm]);
    emit('GatherElements', [centred, column], [chosen], { axis: 1 });
    emit('Sub', [chosen, logarithm], [total]);
    emit('Squeeze', [total, int64([1])], outputs);
  },
  samples: [
    {
      title: 'tokenLogProbs',
      inputs: [{ shape: [3, 5] }, { shape: [3], dtype: 'int64', values: [4, 0, 2] }],
      build: ([logits, ids]) => tokenLogProbs(logits as Tensor, ids as Tensor),
    },
  ],
});

const ENTROPY: OpDefinition<Empty> = defineOp<Empty>({
  name: 'entropy',
  infer: ([logits]) => [{ dtype: (logits as Tensor).dtype, shape: (logits as Tensor).shape.slice(0, -1) }],
  gradient: ({ inputs, outputs, gradients }) => {
    const logits = inputs[0] as Tensor;
    const logProbs = logSoftmax(logits, -1);
    const p = mul(softmax(logits, -1), neg(expandDims(gradients[0] as Tensor, -1)));
    return [mul(p, add(logProbs, expandDims(outputs[0] as Tensor, -1)))];
  },
  evaluate: ({ inputs, outputs }) => {
    const logits = inputs[0] as NumericArray;
    forEachLane(logits, logits.shape.length - 1, (lane, _start, _step, n) => {
      const logProbs = laneLogProbabilities(lane);
      (outputs[0] as NumericArray).values[n] = -logProbs.reduce(
        (s, l) => s + (l === -Infinity ? 0 : Math.exp(l) * l),
        0,
      );
    });
  },
  encode: ({ emit, inputs, outputs, node, int64, temporary }) => {
    const last = (node.inputs[0] as Tensor).rank - 1;
    const [peak, centred, power, mass, weighted, moment] = Array.from({ length: 6 }, temporary) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const logarithm = temporary();
    const expected = temporary();
    emit('ReduceMax', [inputs[0] as string, int64([last])], [peak], { keepdims: 1 });
    emit('Sub', [inputs[0] as string, peak], [centred]);
    emit('Exp', [centred], [power]);
    emit('Mul', [power, centred], [weighted]);
    emit('ReduceSum', [power, int64([last])], [mass], { keepdims: 0 });
    emit('ReduceSum', [weighted, int64([last])], [moment], { keepdims: 0 });
    emit('Log', [mass], [logarithm]);
    emit('Div', [moment, mass], [expected]);
    emit('Sub', [logarithm, expected], outputs);
  },
  samples: [
    { title: 'entropy', inputs: [{ shape: [2, 3, 5] }], build: ([logits]) => entropy(logits as Tensor) },
  ],
});

/** Operators declared here. */
export const CATEGORICAL = [TOKEN_LOG_PROBS, ENTROPY];

/** Log-probability of one token per row, in nats: logits [N, V] and ids [N] give [N]. */
export function tokenLogProbs(logits: Tensor, ids: Tensor): Tensor {
  return apply(TOKEN_LOG_PROBS, [logits, ids], {});
}

/** Entropy of the distribution of each row, in nats: logits [.., V] give [..]; logits must be finite. */
export function entropy(logits: Tensor): Tensor {
  return apply(ENTROPY, [logits], {});
}
