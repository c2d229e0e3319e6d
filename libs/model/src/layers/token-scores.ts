/**
 * @file Log-probability and entropy of tokens from hidden states, and their gradient, for one chunk of rows. Logits are
 * the largest tensors of a language model: a chunk's logits live from its forward to its own backward pass only.
 */
import {
  add,
  expandDims,
  exp,
  gatherElements,
  matmul,
  mul,
  neg,
  logSoftmax,
  reshape,
  scatterAdd,
  squeeze,
  sum,
  type Tensor,
} from '@espalier/graph';
import { loraProduct } from '../lora.js';
import { softCap, softCapSlope } from './soft-cap.js';

/** How the logits of some rows are bent before they are divided by the temperature. */
export interface LogitCap {
  readonly softCap: number;
  readonly inverseTemperature: Tensor; // [N]
}

/** What turns rows into logits. */
export interface OutputHead {
  readonly weight: Tensor; // [V, D]
  readonly lora?:
    | {
        readonly a: Tensor;
        readonly b: Tensor;
        readonly scale: number;
        /** factors of rows for dropout */
        readonly mask?: ((x: Tensor) => Tensor) | undefined;
      }
    | undefined;
}

export interface TokenScoresGraph {
  /** of rows and the head */
  readonly products: Tensor; // [N, V]
  readonly logprobs: Tensor; // [N]
  readonly entropies: Tensor; // [N]
  readonly logDistribution: Tensor; // [N, V]
  readonly distribution: Tensor; // [N, V]
  /** factor from gradients of logits to gradients of products with the head, if they differ */
  readonly slope?: Tensor | undefined; // [N, V]
}

/**
 * Scores one token per row.
 *
 * @param rows    [N, D] normalised hidden states, divided by the temperature unless there is a cap
 * @param targets [N] int64
 */
export function buildTokenScores(
  rows: Tensor,
  { weight, lora }: OutputHead,
  targets: Tensor,
  cap: LogitCap | undefined,
): TokenScoresGraph {
  const own = matmul(rows, weight, { transposeB: true }); // [N, V]
  const products = lora === undefined ? own : add(own, loraProduct(rows, lora.a, lora.b, lora));
  const capped = cap === undefined ? undefined : capLogits(products, cap);
  const logDistribution = logSoftmax(capped?.logits ?? products, -1); // [N, V]
  const distribution = exp(logDistribution);
  const logprobs = squeeze(gatherElements(logDistribution, expandDims(targets, 1), 1), 1);
  const entropies = neg(sum(mul(distribution, logDistribution), { axes: [-1] }));
  return { products, logprobs, entropies, logDistribution, distribution, slope: capped?.slope };
}

function capLogits(products: Tensor, { softCap: size, inverseTemperature }: LogitCap) {
  const inverse = expandDims(inverseTemperature, 1); // [N, 1]
  const bent = softCap(products, size);
  return { logits: mul(bent, inverse), slope: mul(softCapSlope(bent, size), inverse) };
}

/**
 * Builds the gradient of the products with the head from the gradients of log-probabilities and, if the loss uses them, entropies.
 *
 * @returns [N, V]
 */
export function buildLogitGradient(
  { logDistribution, distribution, entropies, slope: bend }: TokenScoresGraph,
  targets: Tensor,
  logprobGradient: Tensor,
  entropyGradient: Tensor | undefined,
): Tensor {
  const g = expandDims(logprobGradient, 1); // [N, 1]
  let slope = neg(g);
  if (entropyGradient !== undefined) {
    const surprise = add(logDistribution, expandDims(entropies, 1)); // [N, V]
    slope = add(slope, mul(surprise, neg(expandDims(entropyGradient, 1)))); // [N, V]
  }
  const gradient = scatterAdd(mul(distribution, slope), reshape(targets, [...targets.shape, 1]), g, 1);
  return bend === undefined ? gradient : mul(gradient, bend);
}
