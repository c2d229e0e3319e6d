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
import { createSession, type RuntimeTensor, type Session, type SessionOptions } from '@espalier/runtime';
import type { ParameterStore } from './parameter-store.js';

const STRETCH = 1 << 18;
const ROW = 1024;

export class OptimizerSession {
  private constructor(
    readonly update: Session,
    readonly squares: Session,
  ) {}

  static async create(options: SessionOptions): Promise<OptimizerSession> {
    return new OptimizerSession(
      await createSession(buildAdamWGraph(), options),
      await createSession(buildRowSquaresGraph(), options),
    );
  }

  /** The norm of all gathered gradients; throws `engine.not_finite` naming the first bad one. */
  async gradientNorm(store: ParameterStore, what: string): Promise<number> {
    let total = 0;
    for (const name of store.names) {
      const squares = await this.#sumOfSquares(store.view(store.gradients, name).data);
      if (!Number.isFinite(squares)) throw notFinite(what, `the gradient of "${name}"`);
      total += squares;
    }
    return Math.sqrt(total);
  }

  /** Clips, updates weights and moments, clears gradients. */
  async step(store: ParameterStore, options: OptimizerStep): Promise<OptimizerStepResult> {
    const gradientNorm = await this.gradientNorm(store, 'optimizer step');
    const scale = resolveClipScale(gradientNorm, options.maxGradientNorm);
    const scalars = scalarTensors(resolveAdamWScalars(options, store.version + 1, scale));
    const [first, second] = store.moments;
    for (let start = 0; start < store.weights.length; start += STRETCH) {
      const part = (flat: Float32Array): RuntimeTensor => vector(flat.subarray(start, start + STRETCH));
      const state = { weight: part(store.weights), first_moment: part(first), second_moment: part(second) };
      const targets = Object.fromEntries(
        Object.entries(state).map(([name, tensor]) => [`next_${name}`, tensor]),
      );
      await this.update.run({ ...scalars, ...state, gradient: part(store.gradients) }, targets);
    }
    store.gradients.fill(0);
    store.version += 1;
    store.revision += 1;
    return { gradientNorm, clipped: scale < 1 };
  }

  async dispose(): Promise<void> {
    await this.update.dispose();
    await this.squares.dispose();
  }

  async #sumOfSquares(values: Float32Array): Promise<number> {
    const whole = values.length - (values.length % ROW);
    let total = 0;
    for (let start = 0; start < whole; start += STRETCH) {
      const end = Math.min(whole, start + STRETCH);
      total += await this.#rowSum(values.subarray(start, end), ROW);
    }
    return whole < values.length
      ? total + (await this.#rowSum(values.subarray(whole), values.length - whole))
      : total;
  }

  async #rowSum(values: Float32Array, width: number): Promise<number> {
    const { squares } = await this.squares.run({
      x: { dtype: 'float32', shape: [values.length / width, width], values },
    });
    return (squares?.values as Float32Array).reduce((a, b) => a + b, 0);
  }
}

function scalarTensors(scalars: object): Record<string, RuntimeTensor> {
  return Object.fromEntries(
    Object.entries(scalars).map(([name, value]) => [
      name,
      { dtype: 'float32', shape: [], values: Float32Array.of(value as number) },
    ]),
  );
}

function vector(values: Float32Array): RuntimeTensor {
  return { dtype: 'float32', shape: [values.length], values };
}

/** The error of a step that met NaN or infinity. */
export function notFinite(what: string, tensor: string): AppError {
  return new AppError(
    'engine.not_finite',
    `${what}: ${tensor} is not finite; nothing was applied, gathered gradients were dropped`,
    {
      details: { tensor },
    },
  );
}
