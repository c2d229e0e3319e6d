/**
 * @file Drawing one token per row inside the graph, so that logits never leave it. A uniform number from the caller's
 * seeded stream picks the token whose share of the cumulated probability it falls into. The plain draw needs no
 * sorting; the filtered one (top-k, top-p) sorts, equal logits by lower id.
 */
import {
  argMax,
  cast,
  cumSum,
  type Dim,
  exp,
  expandDims,
  gatherElements,
  greater,
  less,
  lessOrEqual,
  logicalAnd,
  logSoftmax,
  matmul,
  mul,
  neg,
  range,
  reshape,
  slice,
  sortDescending,
  squeeze,
  sub,
  sum,
  type Tensor,
  where,
} from '@espalier/graph';

/** How rows are drawn; all [N]. */
export interface DrawInputs {
  /** in [0, 1) */
  readonly uniform: Tensor;
  readonly inverseTemperature: Tensor;
  /** above 0: the most probable token instead */
  readonly greedy: Tensor;
  /** present where rows are filtered: probability to keep, and number of tokens to keep */
  readonly filter?: { readonly topP: Tensor; readonly topK: Tensor };
}

export interface DrawnTokens {
  readonly ids: Tensor; // [N] int64
  /** of the scaled distribution before filtering, nats */
  readonly logprobs: Tensor; // [N]
  readonly entropies: Tensor; // [N]
}

/**
 * Draws a token per row.
 *
 * @param normed [N, D] hidden states after the final norm
 * @param head   [D, V]
 */
export function buildDraw(normed: Tensor, head: Tensor, draw: DrawInputs): DrawnTokens {
  const logDistribution = logSoftmax(matmul(mul(normed, expandDims(draw.inverseTemperature, 1)), head), -1); // [N, V]
  const distribution = exp(logDistribution);
  const uniform = expandDims(draw.uniform, 1); // [N, 1]
  const drawn =
    draw.filter === undefined
      ? pick(distribution, uniform)
      : pickFiltered(logDistribution, uniform, draw.filter);
  const best = argMax(logDistribution, -1, { keepDims: true });
  const ids = where(greater(expandDims(draw.greedy, 1), 0), best, drawn); // [N, 1]
  return {
    ids: squeeze(ids, 1),
    logprobs: squeeze(gatherElements(logDistribution, ids, 1), 1),
    entropies: entropyOf(distribution, logDistribution),
  };
}

/** −Σ p·log p as a product of row and column: unlike a reduction, its bits do not depend on where a row lies in memory. */
function entropyOf(distribution: Tensor, logDistribution: Tensor): Tensor {
  const [rows, size] = distribution.shape as [Dim, number];
  const moment = matmul(reshape(distribution, [rows, 1, size]), reshape(logDistribution, [rows, size, 1]));
  return neg(reshape(moment, [rows]));
}

/** The number of entries whose cumulated share is at most the uniform number: never an entry of probability zero. */
function pick(distribution: Tensor, uniform: Tensor): Tensor {
  const size = distribution.shape[1] as number;
  const cumulated = cumSum(distribution, 1); // [N, V]
  const threshold = mul(slice(cumulated, { axis: 1, start: size - 1 }), uniform); // [N, 1]
  return cast(
    sum(cast(lessOrEqual(cumulated, threshold), 'float32'), { axes: [1], keepDims: true }),
    'int64',
  );
}

function pickFiltered(
  logDistribution: Tensor,
  uniform: Tensor,
  filter: { readonly topP: Tensor; readonly topK: Tensor },
): Tensor {
  const [sorted, order] = sortDescending(logDistribution);
  const probabilities = exp(sorted);
  const before = sub(cumSum(probabilities, 1), probabilities); // [N, V]
  const rank = cast(expandDims(range(sorted.graph, sorted.shape[1] as number), 0), 'float32'); // [1, V]
  const isKept = logicalAnd(less(before, expandDims(filter.topP, 1)), less(rank, expandDims(filter.topK, 1)));
  return gatherElements(order, pick(where(isKept, probabilities, 0), uniform), 1);
}
