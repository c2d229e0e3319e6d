/** @file Weights that are not trained, held once for all models of an engine. */
import type { WeightFormat } from '@espalier/model/adapters';
import type { RuntimeTensor } from '@espalier/runtime';
import { type NamedArray, ParameterStore } from './parameter-store.js';

type Shapes = ReadonlyMap<string, readonly number[]>;

export class FrozenWeights {
  readonly #feeds: Record<string, RuntimeTensor> = {};
  readonly parameterCount: number;

  private constructor(
    readonly format: WeightFormat,
    readonly store: ParameterStore,
  ) {
    this.parameterCount = store.parameterCount;
    for (const name of store.names) {
      const { shape, data } = store.view(store.weights, name);
      this.#feeds[name] = { dtype: 'float32', shape, values: data };
    }
  }

  /** @throws model.malformed_config when a weight is missing or of another shape */
  static load(
    shapes: Shapes,
    format: WeightFormat,
    from: {
      readonly shapes: Shapes;
      read(name: string, target: Float32Array): void;
      readonly source: string;
    },
  ): FrozenWeights {
    const store = new ParameterStore(shapes);
    store.fill(store.weights, from.shapes, (name, target) => from.read(name, target), from.source);
    return new FrozenWeights(format, store);
  }

  has(name: string): boolean {
    return this.#feeds[name] !== undefined;
  }

  /** What graphs take. */
  feeds(): Readonly<Record<string, RuntimeTensor>> {
    return this.#feeds;
  }

  /** The values that graphs compute with. */
  weight(name: string): NamedArray {
    return this.store.view(this.store.weights, name);
  }
}
