/** @file A graph for tests: one transformer block with embedding, loss and all gradients. */
import {
  add,
  gather,
  gradient,
  Graph,
  matmul,
  mean,
  neg,
  reshape,
  rmsNorm,
  rope,
  softmax,
  swiGlu,
  type Tensor,
  tokenLogProbs,
  transpose,
} from '@espalier/graph';
import type { RuntimeTensor } from '../runtime-tensor.js';

const B = 4;
const T = 64;
const H = 4;
const D = 64;
const F = 160;
const V = 96;

/** Built from the operators that training uses; with numbers to feed. @param scale of attention: a wide one makes many probabilities subnormal */
export function buildBlock(attentionScale = 1): { graph: Graph; feeds: Record<string, RuntimeTensor> } {
  const graph = new Graph();
  const feeds: Record<string, RuntimeTensor> = {};
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  const float = (name: string, shape: number[], factor = 1): Tensor => {
    const count = shape.reduce((a, b) => a * b, 1);
    feeds[name] = {
      dtype: 'float32',
      shape,
      values: Float32Array.from({ length: count }, () => factor * random()),
    };
    return graph.input(name, 'float32', shape);
  };
  const whole = (name: string, shape: number[], entry: (i: number) => number): Tensor => {
    feeds[name] = {
      dtype: 'int64',
      shape,
      values: BigInt64Array.from({ length: B * T }, (_, i) => BigInt(entry(i))),
    };
    return graph.input(name, 'int64', shape);
  };
  const token = (): number => Math.floor((random() + 0.5) * V);
  const weights = {
    embedding: float('embedding', [V, D]),
    norm: float('norm', [D], 2),
    q: float('q', [D, D], 0.3),
    k: float('k', [D, D], 0.3),
    v: float('v', [D, D], 0.3),
    gate: float('gate', [F, D], 0.3),
    up: float('up', [F, D], 0.3),
    down: float('down', [D, F], 0.3),
    head: float('head', [V, D], 0.3),
  };
  const positions = whole('positions', [B, T], (i) => i % T);
  const cos = float('cos', [T, D / H / 2]);
  const sin = float('sin', [T, D / H / 2]);
  const linear = (x: Tensor, w: Tensor): Tensor => matmul(x, w, { transposeB: true });
  const heads = (x: Tensor): Tensor => transpose(reshape(x, [B, T, H, D / H]), [0, 2, 1, 3]);
  const x = gather(weights.embedding, whole('ids', [B * T], token), 0); // [B*T, D]
  const h = rmsNorm(x, weights.norm, 1e-5);
  const [q, k] = [weights.q, weights.k].map((w) => rope(heads(linear(h, w)), positions, cos, sin)) as [
    Tensor,
    Tensor,
  ];
  const p = softmax(matmul(q, k, { transposeB: true, scale: attentionScale }), -1);
  const o = reshape(transpose(matmul(p, heads(linear(h, weights.v))), [0, 2, 1, 3]), [B * T, D]);
  const y = add(add(x, o), linear(swiGlu(linear(h, weights.gate), linear(h, weights.up)), weights.down));
  const loss = neg(mean(tokenLogProbs(linear(y, weights.head), whole('targets', [B * T], token))));
  graph.output('loss', loss);
  const names = Object.keys(weights);
  gradient(loss, Object.values(weights)).forEach((g, i) => graph.output(`gradient_${names[i]}`, g));
  return { graph, feeds };
}
