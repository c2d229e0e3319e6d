/** @file Makes caches of keys and values from earlier ones and from what a graph computed, in all layers by one run. */
import { dim, gather, Graph, reshape, slice, where } from '@espalier/graph';
import { createSession, type RuntimeTensor, SessionCache, type SessionOptions } from '@espalier/runtime';
import type { CacheSlabShape } from './cache-slab.js';

/** For each vector of the new cache, F of them. */
export interface CacheMoves {
  /** which of the old cache it is, unless it is new */
  readonly fromCache: Int32Array;
  /** which of the source it is, if it is new */
  readonly fromSource: Int32Array;
  readonly isNew: Uint8Array;
}

export class CacheMover {
  readonly #sessions = new SessionCache(1);

  constructor(
    readonly shape: CacheSlabShape,
    readonly options: SessionOptions,
  ) {}

  /**
   * @param caches  [F', d] for each layer's keys and values; none: there is no cache yet
   * @param source  [2L, ...] of vectors [d]; undefined: nothing is new
   * @param targets [F, d] each, of other memory or the same
   */
  async move(
    caches: readonly RuntimeTensor[],
    source: RuntimeTensor | undefined,
    { fromCache, fromSource, isNew }: CacheMoves,
    targets: readonly RuntimeTensor[],
  ): Promise<void> {
    const session = await this.#sessions.get('', () =>
      createSession(buildCacheMover(this.shape), this.options),
    );
    const { layers, headSize } = this.shape;
    const empty: RuntimeTensor = {
      dtype: 'float32',
      shape: [1, headSize],
      values: new Float32Array(headSize),
    };
    const vectors = source === undefined ? 1 : source.shape.slice(1, -1).reduce((a, b) => a * b, 1);
    const shape = [2 * layers, vectors, headSize];
    const values = new Float32Array(source === undefined ? shape.reduce((a, b) => a * b, 1) : 0);
    await session.run(
      {
        ...Object.fromEntries(targets.map((_, i) => [`cache:${i}`, caches[i] ?? empty])),
        source: source === undefined ? { dtype: 'float32', shape, values } : withShape(source, shape),
        from_cache: { dtype: 'int32', shape: [fromCache.length], values: fromCache },
        from_source: { dtype: 'int32', shape: [fromSource.length], values: fromSource },
        is_new: { dtype: 'bool', shape: [isNew.length, 1], values: isNew },
      },
      Object.fromEntries(targets.map((target, i) => [`moved:${i}`, target])),
    );
  }

  dispose(): Promise<void> {
    return this.#sessions.clear();
  }
}

/** The same numbers in another shape. */
function withShape(tensor: RuntimeTensor, shape: readonly number[]): RuntimeTensor {
  const { mirror } = tensor;
  return mirror === undefined ? { ...tensor, shape } : mirror.array.tensor(mirror.start, shape);
}

function buildCacheMover({ layers, headSize }: CacheSlabShape): Graph {
  const graph = new Graph();
  const [F, G, S] = [dim('F'), dim('G'), dim('S')];
  const source = graph.input('source', 'float32', [2 * layers, S, headSize]);
  const fromCache = graph.input('from_cache', 'int32', [F]);
  const fromSource = graph.input('from_source', 'int32', [F]);
  const isNew = graph.input('is_new', 'bool', [F, 1]);
  for (let i = 0; i < 2 * layers; i += 1) {
    const cache = graph.input(`cache:${i}`, 'float32', [G, headSize]);
    // not by one split: a GPU may bind as few as eight buffers to a kernel
    const part = slice(source, { axis: 0, start: i, end: i + 1 });
    const fresh = gather(reshape(part, [S, headSize]), fromSource, 0);
    graph.output(`moved:${i}`, where(isNew, fresh, gather(cache, fromCache, 0)));
  }
  return graph;
}
