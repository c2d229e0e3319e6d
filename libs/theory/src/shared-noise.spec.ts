import { describe, expect, it } from 'vitest';
import { expectStep, followExpected, type SharedNoise } from './shared-noise.js';
import { sigmoid } from './sigmoid.js';
import { models } from './models.js';

const model: SharedNoise = {
  safe: 0.1,
  chance: 0.25,
  groupSize: 8,
  groups: 64,
  start: 0.35,
  learningRate: 0.5,
  steps: 200,
};
const noiseSeeds = ['per-trajectory', 'per-group'] as const;

describe('expectStep', () => {
  it('equals two members worked by hand', () => {
    // they differ with probability 2 · 0.5 · 0.5; the risky one wins in a quarter of these: ±(1/√2) / 2
    const pair = { ...model, groupSize: 2 };
    const byHand = (0.5 * (0.25 - 0.75)) / (2 * Math.SQRT2);
    for (const noiseSeed of noiseSeeds)
      expect(expectStep(pair, 0.5, 'group', noiseSeed).gradient).toBeCloseTo(byHand, 5);
    // members that share the draw differ only where their arms do: deviations 0.9 / √2 and 0.1 / √2
    expect(expectStep(pair, 0.5, 'group', 'per-group').deviation).toBeCloseTo(
      (0.5 * (0.25 * 0.9 + 0.75 * 0.1)) / Math.SQRT2,
      12,
    );
    expect(expectStep(pair, 0.5, 'group', 'per-group').signal).toBeCloseTo(0.5, 12);
  });

  it('without a divisor is (G − 1) / G of the slope of the expected reward', () => {
    const reward = (logit: number): number =>
      sigmoid(logit) * model.chance + (1 - sigmoid(logit)) * model.safe;
    for (const logit of [-2, 0, 1.5])
      for (const noiseSeed of noiseSeeds) {
        const slope = (reward(logit + 1e-5) - reward(logit - 1e-5)) / 2e-5;
        const { gradient } = expectStep(model, sigmoid(logit), 'none', noiseSeed);
        expect(gradient).toBeCloseTo((7 / 8) * slope, 9);
      }
  });

  it('goes the wrong way with shared noise and the group as divisor, whatever is at stake', () => {
    const wrongWay = (safe: number) => expectStep({ ...model, safe }, 0.35, 'group', 'per-group').gradient;
    expect(wrongWay(0.05)).toBeCloseTo(wrongWay(0.24), 4);
    expect(wrongWay(0.05)).toBeLessThan(-0.1);
    expect(expectStep({ ...model, safe: 0.05 }, 0.35, 'batch', 'per-group').gradient).toBeGreaterThan(0.1);
  });
});

describe('followExpected', () => {
  it('ends without success and without deviation where the noise is shared', () => {
    const { success, deviation } = followExpected(model, 'group', 'per-group');
    expect(success).toHaveLength(201);
    expect(success.at(-1)).toBeLessThan(0.01);
    expect(deviation.at(-1)).toBeLessThan((deviation[0] ?? 0) / 10);
    expect(followExpected(model, 'batch', 'per-trajectory').success.at(-1)).toBeGreaterThan(0.95);
  });
});

describe('the problem shared-noise', () => {
  it('is simulated as it is computed', () => {
    const settings = Object.fromEntries(
      Object.entries(models['shared-noise']?.settings ?? {}).map(([name, { value }]) => [name, value]),
    );
    const { comparisons } = models['shared-noise']?.run(settings, 3) ?? { comparisons: [] };
    expect(comparisons).toHaveLength(12);
    for (const { setting, quantity, exact, simulated, error } of comparisons)
      expect([setting, quantity, Math.abs(simulated - exact) < (error === null ? 0.02 : 4 * error)]).toEqual([
        setting,
        quantity,
        true,
      ]);
  });
});
