/**
 * @file Drawing one token per row inside the graph, so that logits never leave it. A uniform number from the caller's
 * seeded stream picks the token whose share of the cumulated probability it falls into. The plain draw needs no
 * sorting; the filtered one (top-k, top-p) sorts, equal logits by lower id, but in OpenVINO as its sort leaves them.
 */
import {
  add,
  broadcastTo,
  cast,
  cumSum,
  type Dim,
  dimProduct,
  exp,
  expandDims,
  gather,
  gatherElements,
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  logicalAnd,
  logicalNot,
  logicalOr,
  logSoftmax,
  matmul,
  max,
  mul,
  neg,
  pad,
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
import { softCap } from './soft-cap.js';

/** How rows are drawn; all [N]. */
export interface DrawInputs {
  /** in [0, 1) */
  readonly uniform: Tensor;
  readonly inverseTemperature: Tensor;
  /** above 0: the most probable token instead */
  readonly greedy: Tensor;
  /** of logits, before the temperature */
  readonly softCap: number | undefined;
  /** present where rows are filtered: probability to keep, and number of tokens to keep */
  readonly filter?: { readonly topP: Tensor; readonly topK: Tensor };
  /** products of matrices are rounded to bf16, so that probabilities must not be added up by one */
  readonly isBf16: boolean;
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
 * @param head   multiplies rows [N, D] by the output head: [N, V]
 */
export function buildDraw(normed: Tensor, head: Head, draw: DrawInputs): DrawnTokens {
  const logDistribution = logSoftmax(buildLogits(normed, head, draw), -1); // [N, V]
  const distribution = exp(logDistribution);
  const isGreedy = greater(expandDims(draw.greedy, 1), 0); // [N, 1]
  // a row that takes the most probable token draws the first of those that have no more probable one
  const uniform = where(isGreedy, 0, expandDims(draw.uniform, 1)); // [N, 1]
  const plain = pick(keepBest(distribution, isGreedy), uniform, draw.isBf16); // [N, 1]
  const ids = draw.filter === undefined ? plain : refine(plain, { logDistribution, uniform, isGreedy }, draw);
  return {
    ids: squeeze(ids, 1),
    logprobs: squeeze(gatherElements(logDistribution, ids, 1), 1),
    entropies: entropyOf(distribution, logDistribution, draw.isBf16),
  };
}

type Head = (x: Tensor) => Tensor;

/** Logits divided by the temperature, [N, V]. */
function buildLogits(normed: Tensor, head: Head, { inverseTemperature, softCap: cap }: DrawInputs): Tensor {
  const inverse = expandDims(inverseTemperature, 1);
  if (cap === undefined) return head(mul(normed, inverse));
  return mul(softCap(head(normed), cap), inverse);
}

/** −Σ p·log p as a product of row and column: unlike a reduction, its bits do not depend on where a row lies in memory. */
function entropyOf(distribution: Tensor, logDistribution: Tensor, isBf16: boolean): Tensor {
  if (isBf16) return neg(sum(mul(distribution, logDistribution), { axes: [1] }));
  const [rows, size] = distribution.shape as [Dim, number];
  const [p, logP] = [distribution, logDistribution].map((x) => reshape(x, [rows, 1, size])) as [
    Tensor,
    Tensor,
  ];
  const moment = matmul(p, logP, { transposeB: true });
  return neg(reshape(moment, [rows]));
}

/** Vocabularies above this are searched in blocks: a cumulated sum goes along a row in one thread. */
const BLOCK_SEARCH_VOCABULARY = 2048;
const BLOCK = 64;

/** Sets all but the largest entries of greedy rows to zero. */
function keepBest(distribution: Tensor, isGreedy: Tensor): Tensor {
  const bound = where(isGreedy, max(distribution, { axes: [1], keepDims: true }), 0); // [N, 1]
  return mul(distribution, cast(greaterOrEqual(distribution, bound), 'float32'));
}

/** The first entry [N, 1] whose cumulated share exceeds the uniform number [N, 1]: never one of probability zero. */
function pick(distribution: Tensor, uniform: Tensor, isBf16: boolean): Tensor {
  const [rows, size] = distribution.shape as [Dim, number];
  if (size <= BLOCK_SEARCH_VOCABULARY)
    return firstAbove(cumSum(distribution, 1), (total) => mul(total, uniform)).place;
  const count = Math.ceil(size / BLOCK);
  const { graph } = distribution;
  const blocks = reshape(pad(distribution, { axis: 1, before: 0, after: count * BLOCK - size }), [
    dimProduct(rows, count),
    BLOCK,
  ]);
  // a block that is rounded up would end in draws of its last entry
  const sums = isBf16
    ? sum(blocks, { axes: [1] })
    : matmul(blocks, broadcastTo(graph.constant(1), [BLOCK, 1])); // N*C entries
  const upTo = cumSum(reshape(sums, [rows, count]), 1); // [N, C]
  const { place: block, threshold } = firstAbove(upTo, (total) => mul(total, uniform));
  const before = gatherElements(pad(upTo, { axis: 1, before: 1, after: 0 }), block, 1); // [N, 1]
  const flat = add(block, mul(expandDims(range(graph, rows), 1), graph.constant(count, 'int64'))); // [N, 1]
  const entries = reshape(gather(blocks, flat, 0), [rows, BLOCK]);
  const inner = firstAbove(cumSum(entries, 1), () => sub(threshold, before));
  return add(mul(block, graph.constant(BLOCK, 'int64')), inner.place);
}

/** The number of entries [N, 1] at or below a threshold; rounding cannot push it past the last entry that adds something. */
function firstAbove(cumulated: Tensor, thresholdOf: (total: Tensor) => Tensor) {
  const size = cumulated.shape[1] as number;
  const total = slice(cumulated, { axis: 1, start: size - 1 }); // [N, 1]
  const threshold = thresholdOf(total);
  const isBelow = logicalAnd(lessOrEqual(cumulated, threshold), less(cumulated, total));
  const place = cast(sum(cast(isBelow, 'float32'), { axes: [1], keepDims: true }), 'int64');
  return { place, threshold };
}

/** Draws again in rows that are filtered; the others keep what they get among rows of which none is. */
function refine(
  plain: Tensor,
  row: { readonly logDistribution: Tensor; readonly uniform: Tensor; readonly isGreedy: Tensor },
  { filter, isBf16 }: DrawInputs,
): Tensor {
  const { logDistribution, uniform, isGreedy } = row;
  const [topP, topK] = [filter?.topP, filter?.topK].map((column) => expandDims(column as Tensor, 1)) as Pair;
  const [sorted, order] = sortDescending(logDistribution);
  const size = sorted.shape[1] as number;
  const probabilities = exp(sorted);
  const before = sub(cumSum(probabilities, 1), probabilities); // [N, V]
  const rank = cast(expandDims(range(sorted.graph, size), 0), 'float32'); // [1, V]
  const isKept = logicalAnd(less(before, topP), less(rank, topK));
  const drawn = gatherElements(order, pick(where(isKept, probabilities, 0), uniform, isBf16), 1);
  const isFiltered = logicalAnd(logicalNot(isGreedy), logicalOr(less(topP, 1), less(topK, size)));
  return where(isFiltered, drawn, plain);
}

type Pair = [Tensor, Tensor];
