/**
 * @file Adds adapters to the weights that they belong to, W + scale · B·A (Hu et al. 2021, arXiv:2106.09685, equation 3), as a
 * product of the runtime: whoever samples from merged weights waits for it after every update.
 */
import { add, Graph, matmul, mul } from '@espalier/graph';
import { createSession, type RuntimeTensor, SessionCache } from '@espalier/runtime';
import type { NamedArray } from './parameter-store.js';

/** One adapter, and by how much its product is scaled. */
export interface AdapterPart {
  readonly a: NamedArray; // [rank, in]
  readonly b: NamedArray; // [out, rank]
  readonly scale: number;
}

/** Sums of up to so many products are added in one order, however the columns of a product are split among threads. */
const BLOCK_LENGTH = 128;

/** Merges on the CPU in float32, whatever computes the rest: the weights lie in its memory. */
export class AdapterMerge {
  readonly #sessions = new SessionCache(1);

  /** @param threads of a product; they do not affect results */
  constructor(readonly threads: number) {}

  /** Adds scale · B·A to a weight W [out, in], in place. */
  async add(weight: Float32Array, { a, b, scale }: AdapterPart): Promise<void> {
    const threads = (a.shape[0] ?? 0) > BLOCK_LENGTH ? 1 : this.threads;
    const session = await this.#sessions.get(`${threads}`, () => createSession(buildMerge(), { threads }));
    const target = floats([b.shape[0] ?? 0, a.shape[1] ?? 0], weight);
    const feeds = {
      weight: target,
      a: floats(a.shape, a.data),
      b: floats(b.shape, b.data),
      scale: floats([], Float32Array.of(scale)),
    };
    await session.run(feeds, { merged: target });
  }

  /** Closes the session; the next merge opens another. */
  dispose(): Promise<void> {
    return this.#sessions.clear();
  }
}

function buildMerge(): Graph {
  const graph = new Graph();
  const weight = graph.input('weight', 'float32', ['out', 'in']);
  const a = graph.input('a', 'float32', ['rank', 'in']);
  const b = graph.input('b', 'float32', ['out', 'rank']);
  graph.output('merged', add(weight, matmul(mul(b, graph.input('scale', 'float32', [])), a)));
  return graph;
}

const floats = (shape: readonly number[], values: Float32Array): RuntimeTensor => ({
  dtype: 'float32',
  shape,
  values,
});
