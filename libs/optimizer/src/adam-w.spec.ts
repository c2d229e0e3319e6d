import { evaluate } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { buildAdamWGraph, resolveAdamWScalars } from './adam-w.js';
import { buildRowSquaresGraph, resolveClipScale } from './clip-by-global-norm.js';

const options = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.5 };

function update(state: { w: number; m: number; v: number }, gradient: number, step: number, scale = 1) {
  const scalars = Object.entries(resolveAdamWScalars(options, step, scale)).map(([name, value]) => [
    name,
    { shape: [], values: [value] },
  ]);
  const outputs = evaluate(buildAdamWGraph(), {
    ...Object.fromEntries(scalars),
    weight: { shape: [1], values: [state.w] },
    gradient: { shape: [1], values: [gradient] },
    first_moment: { shape: [1], values: [state.m] },
    second_moment: { shape: [1], values: [state.v] },
  });
  const entry = (name: string) => outputs[`next_${name}`]?.values[0] ?? NaN;
  return { w: entry('weight'), m: entry('first_moment'), v: entry('second_moment') };
}

describe('AdamW', () => {
  it('moves by the learning rate against the sign of the first gradient, after decay', () => {
    const next = update({ w: 2, m: 0, v: 0 }, 3, 1);
    expect(next.w).toBeCloseTo(2 * (1 - 0.1 * 0.5) - 0.1, 6);
    expect(next.m).toBeCloseTo(0.3, 12);
    expect(next.v).toBeCloseTo(0.09, 12);
  });

  it('corrects both moments by the step count', () => {
    const next = update(update({ w: 2, m: 0, v: 0 }, 3, 1), -1, 2);
    const m = (0.9 * 0.3 - 0.1) / (1 - 0.81);
    const v = (0.99 * 0.09 + 0.01) / (1 - 0.9801);
    expect(next.w).toBeCloseTo(1.8 * 0.95 - (0.1 * m) / (Math.sqrt(v) + 1e-8), 6);
  });

  it('scales gradients before both moments', () => {
    expect(update({ w: 0, m: 0, v: 0 }, 4, 1, 0.25)).toEqual(update({ w: 0, m: 0, v: 0 }, 1, 1));
  });
});

describe('clipping by global norm', () => {
  it('sums squares along rows', () => {
    const outputs = evaluate(buildRowSquaresGraph(), { x: { shape: [2, 2], values: [1, 2, 3, 4] } });
    expect([...(outputs['squares']?.values ?? [])]).toEqual([5, 25]);
  });

  it('keeps small norms and scales large ones down', () => {
    expect(resolveClipScale(0.5, 1)).toBe(1);
    expect(resolveClipScale(4, 1)).toBeCloseTo(0.25, 6);
    expect(resolveClipScale(4, Infinity)).toBe(1);
  });
});
