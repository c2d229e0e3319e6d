/**
 * @file A loss over a whole batch in float64, and how far such results are from expected ones.
 */
import type { LossSpec } from '@espalier/contracts';
import { evaluateLoss, type LossNumbers } from '@espalier/objective';
import type { ExpectedLoss } from './loss-batches.js';

export interface SummedLoss extends ExpectedLoss {
  /** Σ |weight · term|, of the loss and of each metric: what a rounding error is relative to */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Evaluates a loss over a batch in float64. */
export function sumLoss(loss: LossSpec, numbers: LossNumbers, weights: readonly number[]): SummedLoss {
  const { perToken, metrics, gradients } = evaluateLoss(loss, numbers);
  const weigh = (values: readonly number[]) => values.map((value, i) => value * (weights[i] as number));
  const total = (values: readonly number[]) => weigh(values).reduce((sum, value) => sum + value, 0);
  const sizes = Object.entries({ ...metrics, loss: perToken }).map(([name, values]) => [
    name,
    weigh(values).reduce((sum, value) => sum + Math.abs(value), 0),
  ]);
  return {
    loss: total(perToken),
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, values]) => [name, total(values)])),
    gradients: Object.fromEntries(Object.entries(gradients).map(([name, values]) => [name, weigh(values)])),
    sizes: Object.fromEntries(sizes) as Record<string, number>,
  };
}

/** The furthest result so far, by name; distances are relative to the size that the caller names. */
export class Distances {
  readonly #worst = new Map<string, { distance: number; at: string }>();

  add(name: string, at: string, actual: ArrayLike<number>, expected: ArrayLike<number>, size?: number): void {
    const scale =
      size ?? Array.from(expected).reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const isSameLength = actual.length === expected.length;
    let distance = isSameLength ? 0 : Infinity;
    for (let i = 0; isSameLength && i < expected.length; i += 1) {
      const a = actual[i] as number;
      const b = expected[i] as number;
      if (a === b) continue;
      const apart = Math.abs(a - b) / scale;
      distance = Math.max(distance, Number.isNaN(apart) ? Infinity : apart);
    }
    if (distance >= (this.#worst.get(name)?.distance ?? 0)) this.#worst.set(name, { distance, at });
  }

  /** Adds a loss over a batch: its sum, the sums of its metrics, its gradients. */
  addLoss(name: string, at: string, actual: SummedLoss, expected: ExpectedLoss): void {
    this.add(`${name} loss`, at, [actual.loss], [expected.loss], actual.sizes['loss']);
    for (const [input, gradient] of Object.entries(expected.gradients)) {
      this.add(`${name} gradient ${input}`, at, actual.gradients[input] ?? [], gradient);
    }
    for (const metric of new Set([...Object.keys(expected.metrics), ...Object.keys(actual.metrics)])) {
      const pair = [actual.metrics[metric], expected.metrics[metric]].map((value) => [value ?? Number.NaN]);
      this.add(`${name} ${metric}`, at, pair[0] ?? [], pair[1] ?? [], actual.sizes[metric]);
    }
  }

  /** Everything further apart than allowed, for an assertion that nothing is. */
  beyond(allowed: number): string[] {
    return [...this.#worst]
      .filter(([, { distance }]) => distance > allowed)
      .map(([name, { distance, at }]) => `${name}: ${distance} in ${at}`);
  }

  get names(): string[] {
    return [...this.#worst.keys()];
  }

  get largest(): number {
    return Math.max(...[...this.#worst.values()].map(({ distance }) => distance));
  }
}
