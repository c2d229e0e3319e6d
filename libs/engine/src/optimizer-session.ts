/**
 * @file AdamW and the gradient norm on a {@link ParameterStore}: small graphs run over stretches of the flat arrays, so
 * that temporaries stay in the cache and outputs are written in place.
 */
import { AppError, type OptimizerStep, type OptimizerStepResult } from '@espalier/contracts';
import {
  buildAdamWGraph,
  buildRowSquaresGraph,
  resolveAdamWScalars,
  resolveClipScale,
} from '@espalier/optimizer';
import {
  copiesBlocks,
  createSession,
  type DeviceMemory,
  type DriverName,
  type MirroredArray,
  type RuntimeTensor,
  type Session,
  type SessionOptions,
} from '@espalier/runtime';
import type { ParameterStore } from './parameter-store.js';

/** entries of one run on a CPU, where its temporaries stay in the cache; a device takes all at once */
const STRETCH = { host: 1 << 18, device: 1 << 26 };
const ROW = 1024;

export class OptimizerSession {
  private constructor(
    readonly update: Session,
    readonly squares: Session,
    readonly memory: DeviceMemory | undefined,
  ) {}

  /** undefined: a device with a buffer for each parameter takes them one by one */
  get #stretch(): number | undefined {
    if (this.memory === undefined) return STRETCH.host;
    return copiesBlocks(this.memory) ? STRETCH.device : undefined;
  }

  /** @param memory of the device that computes; default: this process computes */
  static async create(options: SessionOptions, memory?: DeviceMemory): Promise<OptimizerSession> {
    return new OptimizerSession(
      await createSession(buildAdamWGraph(), options),
      await createSession(buildRowSquaresGraph(), options),
      memory,
    );
  }

  /** The norm of all gathered gradients; throws `engine.not_finite` naming the first bad one. */
  async #gradientNorm(store: ParameterStore): Promise<number> {
    if (this.#stretch === STRETCH.device) {
      // one pass over all of it; only a bad number makes it worth asking every parameter
      const squares = await this.#sumOfSquares(store.gradients, 0, store.gradients.length);
      if (Number.isFinite(squares)) return Math.sqrt(squares);
    }
    let total = 0;
    for (const name of store.names) {
      const { start, end } = store.placeOf(name);
      const squares = await this.#sumOfSquares(store.gradients, start, end);
      if (!Number.isFinite(squares)) throw notFinite('optimizer step', `the gradient of "${name}"`);
      total += squares;
    }
    return Math.sqrt(total);
  }

  /**
   * Clips, updates weights and moments, clears gradients.
   *
   * @throws engine.not_finite: nothing has changed; runtime.* while it updates: weights and moments are undefined, load them
   */
  async step(store: ParameterStore, options: OptimizerStep): Promise<OptimizerStepResult> {
    const gradientNorm = await this.#gradientNorm(store);
    const scale = resolveClipScale(gradientNorm, options.maxGradientNorm);
    const scalars = scalarTensors(resolveAdamWScalars(options, store.version + 1, scale));
    await this.#update(store, scalars);
    store.clearGradients();
    store.version += 1;
    return { gradientNorm, clipped: scale < 1 };
  }

  /** Updates one stretch after the other. Whoever holds what follows from the weights is told of a part of them, too. */
  async #update(store: ParameterStore, scalars: Record<string, RuntimeTensor>): Promise<void> {
    const [first, second] = store.moments;
    try {
      for (const { start, size } of this.#stretches(store)) {
        const part = (array: MirroredArray): RuntimeTensor => array.tensor(start, [size]);
        const state = { weight: part(store.weights), first_moment: part(first), second_moment: part(second) };
        const targets = Object.fromEntries(
          Object.entries(state).map(([name, tensor]) => [`next_${name}`, tensor]),
        );
        await this.update.run({ ...scalars, ...state, gradient: part(store.gradients) }, targets);
      }
    } finally {
      store.revision += 1;
    }
  }

  #stretches(store: ParameterStore): { readonly start: number; readonly size: number }[] {
    const most = this.#stretch;
    if (most === undefined)
      return store.names.map((name) => {
        const { start, end } = store.placeOf(name);
        return { start, size: end - start };
      });
    const { length } = store.weights;
    return Array.from({ length: Math.ceil(length / most) }, (_, i) => ({
      start: i * most,
      size: Math.min(most, length - i * most),
    }));
  }

  async dispose(): Promise<void> {
    await this.update.dispose();
    await this.squares.dispose();
  }

  async #sumOfSquares(array: MirroredArray, first: number, last: number): Promise<number> {
    const most = this.#stretch;
    if (most === undefined) {
      const size = last - first;
      const rows = greatestCommonDivisor(size, ROW);
      return this.#rowSum(array.tensor(first, [rows, size / rows]));
    }
    const whole = last - ((last - first) % ROW);
    let total = 0;
    for (let start = first; start < whole; start += most) {
      const rows = (Math.min(whole, start + most) - start) / ROW;
      total += await this.#rowSum(array.tensor(start, [rows, ROW]));
    }
    return whole < last ? total + (await this.#rowSum(array.tensor(whole, [1, last - whole]))) : total;
  }

  async #rowSum(x: RuntimeTensor): Promise<number> {
    const { squares } = await this.squares.run({ x });
    return (squares?.values as Float32Array).reduce((a, b) => a + b, 0);
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function scalarTensors(scalars: object): Record<string, RuntimeTensor> {
  return Object.fromEntries(
    Object.entries(scalars).map(([name, value]) => [
      name,
      { dtype: 'float32', shape: [], values: Float32Array.of(value as number) },
    ]),
  );
}

/** The error of a step that met NaN or infinity. @param driver that computed it */
export function notFinite(what: string, tensor: string, driver?: DriverName): AppError {
  const short =
    driver === 'openvino'
      ? '; OpenVINO computes such numbers also where memory runs out: lower update.microBatchTokens if it is short'
      : '';
  return new AppError(
    'engine.not_finite',
    `${what}: ${tensor} is not finite; nothing was applied, gathered gradients were dropped${short}`,
    {
      details: { tensor },
    },
  );
}
