/**
 * @file Attention of a whole sequence to its past, for training and scoring. Queries go in blocks of rows, and a block
 * only meets the keys up to its own end, so that nearly half of the products are never made. Right padding needs no
 * mask: what comes later is never seen. Its gradient is written by hand: the row sums that softmax needs are taken
 * from outputs (dO·O) instead of from probabilities, as in Dao et al. 2022, arXiv:2205.14135, appendix B.2.
 */
import {
  add,
  type Dim,
  concat,
  matmul,
  mul,
  pad,
  reshape,
  slice,
  softmax,
  sub,
  sum,
  type Tensor,
  withGradient,
} from '@espalier/graph';

/** Added to scores of later positions; finite, so that no arithmetic on it gives NaN. */
const HIDDEN = -1e30;

interface Block {
  readonly start: number;
  readonly end: number;
  readonly queries: Tensor; // [B, K, G*R, d]
  readonly probabilities: Tensor; // [B, K, G*R, end]
  readonly output: Tensor; // [B, K, G*R, d]
}

/**
 * Lets every position attend to itself and what came before.
 *
 * @param q [B, H, T, d] with a known T; H a multiple of K
 * @param k [B, K, T, d]
 * @param v [B, K, T, d]
 * @returns [B, H, T, d]
 */
export function causalAttention(q: Tensor, k: Tensor, v: Tensor, blockRows = 128): Tensor {
  const [batch, heads, length, width] = q.shape as [Dim, number, number, number];
  const groups = k.shape[1] as number;
  const members = heads / groups;
  const scale = 1 / Math.sqrt(width);
  const grouped = reshape(q, [batch, groups, members, length, width]);
  const blocks: Block[] = [];
  for (let start = 0; start < length; start += blockRows) {
    const end = Math.min(length, start + blockRows);
    blocks.push(buildBlock(grouped, k, v, { start, end, scale }));
  }
  const joined = concat(
    blocks.map(({ output, start, end }) => reshape(output, [batch, groups, members, end - start, width])),
    3,
  );
  const output = reshape(joined, q.shape);
  return withGradient(output, [q, k, v], (g) =>
    buildBackward(reshape(g, grouped.shape), k, v, blocks, scale).map((x, i) =>
      i === 0 ? reshape(x, q.shape) : x,
    ),
  );
}

interface BlockRange {
  readonly start: number;
  readonly end: number;
  readonly scale: number;
}

function buildBlock(q: Tensor, k: Tensor, v: Tensor, { start, end, scale }: BlockRange): Block {
  const [batch, groups, members, , width] = q.shape as [Dim, number, number, number, number];
  const rows = end - start;
  const queries = reshape(slice(q, { axis: 3, start, end }), [batch, groups, members * rows, width]);
  const scores = matmul(queries, slice(k, { axis: 2, end }), { transposeB: true, scale }); // [B, K, G*R, end]
  const masked = add(reshape(scores, [batch, groups, members, rows, end]), maskOf(q, start, end));
  const probabilities = reshape(softmax(masked, -1), scores.shape);
  return { start, end, queries, probabilities, output: matmul(probabilities, slice(v, { axis: 2, end })) };
}

function maskOf({ graph }: Tensor, start: number, end: number): Tensor {
  const mask = new Float64Array((end - start) * end);
  for (let row = 0; row < end - start; row += 1)
    mask.fill(HIDDEN, row * end + start + row + 1, (row + 1) * end);
  return graph.constant(mask, 'float32', [end - start, end]); // [R, end]
}

function buildBackward(
  g: Tensor,
  k: Tensor,
  v: Tensor,
  blocks: readonly Block[],
  scale: number,
): [Tensor, Tensor, Tensor] {
  const [batch, groups, members, , width] = g.shape as [Dim, number, number, number, number];
  const dq: Tensor[] = [];
  let dk: Tensor | undefined;
  let dv: Tensor | undefined;
  for (const { start, end, queries, probabilities, output } of blocks) {
    const shape = [batch, groups, members * (end - start), width];
    const go = reshape(slice(g, { axis: 3, start, end }), shape);
    const rowSums = sum(mul(go, output), { axes: [-1], keepDims: true }); // [B, K, G*R, 1]
    const gp = matmul(go, slice(v, { axis: 2, end }), { transposeB: true }); // [B, K, G*R, end]
    const gs = mul(sub(gp, rowSums), probabilities);
    dq.push(
      reshape(matmul(gs, slice(k, { axis: 2, end }), { scale }), [
        batch,
        groups,
        members,
        end - start,
        width,
      ]),
    );
    dk = addGrowing(dk, matmul(gs, queries, { transposeA: true, scale }), start, end);
    dv = addGrowing(dv, matmul(probabilities, go, { transposeA: true }), start, end);
  }
  return [concat(dq, 3), dk as Tensor, dv as Tensor];
}

/** Adds a gradient of the first `end` keys to one of the first `start`. */
function addGrowing(sofar: Tensor | undefined, next: Tensor, start: number, end: number): Tensor {
  return sofar === undefined ? next : add(pad(sofar, { axis: 2, before: 0, after: end - start }), next);
}
