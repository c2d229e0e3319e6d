/** @file The frozen weights that the models of an engine share, in float32 or in fewer bits. */
import {
  type BaseDtype,
  type CompactWeight,
  compactWeight,
  heldDtype,
  scalesName,
  widenInto,
} from '@espalier/model/adapters';
import type { RuntimeTensor } from '@espalier/runtime';
import { ParameterStore, requireShapes } from './parameter-store.js';

/** Where weights are read from. */
export interface ReadableWeights {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** writes a weight, or its numbers from a place on */
  read(name: string, target: Float32Array, from?: number): void;
  readonly source: string;
}

export class FrozenBase {
  readonly parameterCount: number;
  /** what is held in float32 */
  readonly #store: ParameterStore;
  readonly #compact = new Map<string, CompactWeight>();

  /** @throws model.malformed_config when a weight is missing or of another shape */
  constructor(
    readonly shapes: ReadonlyMap<string, readonly number[]>,
    readonly dtype: BaseDtype,
    { shapes: found, read, source }: ReadableWeights,
  ) {
    requireShapes(shapes, found, source);
    const plain = new Map<string, readonly number[]>();
    for (const [name, shape] of shapes) {
      const held = heldDtype(name, shape, dtype);
      if (held === 'float32') plain.set(name, shape);
      else
        this.#compact.set(
          name,
          compactWeight(shape, held, (target, from) => read(name, target, from)),
        );
    }
    this.#store = new ParameterStore(plain);
    this.#store.fill(this.#store.weights.write(), found, read, source);
    this.parameterCount = [...shapes.values()].reduce(
      (total, shape) => total + shape.reduce((a, b) => a * b, 1),
      0,
    );
  }

  /** All weights, to be fed to graphs. */
  feeds(): Record<string, RuntimeTensor> {
    const feeds = this.#store.feeds();
    for (const [name, { codes, scales, layout }] of this.#compact) {
      feeds[name] = { dtype: layout.codesType, shape: layout.codes, values: codes };
      feeds[scalesName(name)] = { dtype: 'float32', shape: layout.scales, values: scales };
    }
    return feeds;
  }

  /** Gives the memory of a device back. */
  releaseDevice(): void {
    this.#store.releaseDevice();
  }

  /** A weight as it lies in memory; undefined if it is not held in float32. */
  find(name: string): Float32Array | undefined {
    return this.#compact.has(name) ? undefined : this.#store.weight(name).data;
  }

  /** Writes a weight into `target`. */
  write(name: string, target: Float32Array): void {
    const compact = this.#compact.get(name);
    if (compact === undefined) target.set(this.#store.weight(name).data);
    else widenInto(compact, target);
  }
}
