/**
 * @file The numbers of one trainable model: weights, gathered gradients and moments, each kind in one flat array with a
 * view per parameter. Gradients and moments exist only once they are needed.
 */
import { AppError } from '@espalier/contracts';
import { MirroredArray, type RuntimeTensor } from '@espalier/runtime';

/** A named array with its shape. */
export interface NamedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Entries between starts of parameters: 64 bytes. */
const ALIGNMENT = 16;

/** Makes sure that every parameter is there with its shape. @throws model.malformed_config */
export function requireShapes(
  parameters: ReadonlyMap<string, readonly number[]>,
  shapes: ReadonlyMap<string, readonly number[]>,
  source: string,
): void {
  for (const [name, shape] of parameters) {
    const found = shapes.get(name);
    if (found?.join() === shape.join()) continue;
    const finding = found === undefined ? 'missing' : `has the shape [${found.join(', ')}]`;
    throw new AppError(
      'model.malformed_config',
      `${source}: "${name}" ${finding}; expected [${shape.join(', ')}]`,
    );
  }
}

export class ParameterStore {
  readonly names: readonly string[];
  readonly parameterCount: number;
  readonly weights: MirroredArray;
  /** optimizer steps taken */
  version = 0;
  /** rises whenever weights change, so that copies and caches know they are old */
  revision = 0;
  readonly #places = new Map<
    string,
    { readonly start: number; readonly end: number; readonly shape: readonly number[] }
  >();
  #gradients: MirroredArray | undefined;
  #moments: readonly [MirroredArray, MirroredArray] | undefined;

  constructor(shapes: ReadonlyMap<string, readonly number[]>) {
    let at = 0;
    let count = 0;
    for (const [name, shape] of shapes) {
      const size = shape.reduce((a, b) => a * b, 1);
      this.#places.set(name, { start: at, end: at + size, shape });
      at += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
      count += size;
    }
    this.names = [...shapes.keys()];
    this.parameterCount = count;
    this.weights = new MirroredArray(at);
  }

  get gradients(): MirroredArray {
    this.#gradients ??= new MirroredArray(this.weights.length);
    return this.#gradients;
  }

  /** Forgets what was gathered. */
  clearGradients(): void {
    this.#gradients?.clear();
  }

  /** First and second moments of AdamW. */
  get moments(): readonly [MirroredArray, MirroredArray] {
    const { length } = this.weights;
    this.#moments ??= [new MirroredArray(length), new MirroredArray(length)];
    return this.#moments;
  }

  /** A flat array of zeros. */
  createFlat(): Float32Array {
    return new Float32Array(this.weights.length);
  }

  replaceMoments(moments: readonly [Float32Array, Float32Array]): void {
    for (const array of this.#moments ?? []) array.free();
    const [first, second] = moments;
    this.#moments = [new MirroredArray(first.length, first), new MirroredArray(second.length, second)];
  }

  /** Gives the memory of a device back; the weights stay. */
  releaseDevice(): void {
    this.weights.read();
    for (const array of [this.weights, this.#gradients, ...(this.#moments ?? [])]) array?.free();
  }

  /** The part of a flat array that belongs to a parameter. */
  view(flat: Float32Array, name: string): NamedArray {
    const { start, end, shape } = this.placeOf(name);
    return { shape, data: flat.subarray(start, end) };
  }

  /** A parameter as it is now, to be read. */
  weight(name: string): NamedArray {
    return this.view(this.weights.read(), name);
  }

  /** A parameter, to be changed. */
  writableWeight(name: string): NamedArray {
    return this.view(this.weights.write(), name);
  }

  /** All parameters as they are now, to be fed to graphs. */
  feeds(): Record<string, RuntimeTensor> {
    return this.tensors(this.weights);
  }

  /** The parts of a flat array as tensors by parameter, each name behind `prefix`. */
  tensors(array: MirroredArray, prefix = ''): Record<string, RuntimeTensor> {
    return Object.fromEntries(
      this.names.map((name) => {
        const { start, shape } = this.placeOf(name);
        return [`${prefix}${name}`, array.tensor(start, shape)];
      }),
    );
  }

  /** Views of a flat array by name. */
  views(flat: Float32Array): Map<string, NamedArray> {
    return new Map(this.names.map((name) => [name, this.view(flat, name)]));
  }

  /**
   * Fills each parameter's part of a flat array.
   *
   * @param shapes what there is; names that are not parameters here are left out
   * @param read writes a parameter into its part
   * @throws model.malformed_config when one is missing or of another shape
   */
  fill(
    flat: Float32Array,
    shapes: ReadonlyMap<string, readonly number[]>,
    read: (name: string, target: Float32Array) => void,
    source: string,
  ): void {
    requireShapes(new Map(this.names.map((name) => [name, this.placeOf(name).shape])), shapes, source);
    for (const name of this.names) read(name, this.view(flat, name).data);
  }

  /** Copies everything that has the same name from another model. */
  copyWeights(other: ParameterStore): void {
    for (const name of this.names) {
      if (other.#places.has(name)) this.writableWeight(name).data.set(other.weight(name).data);
    }
    this.revision += 1;
  }

  /** Where a parameter lies in a flat array. */
  placeOf(name: string): {
    readonly start: number;
    readonly end: number;
    readonly shape: readonly number[];
  } {
    const place = this.#places.get(name);
    if (place === undefined) throw new RangeError(`parameter "${name}" does not exist`);
    return place;
  }
}
