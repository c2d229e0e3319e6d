import { estimateGroupAdvantages, filterGroups } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import { computeTrap, type EchoTrap, expectedStep, latticeOf, stepDistribution } from './echo-trap.js';
import { models } from './models.js';

const model: EchoTrap = {
  groups: 8,
  telling: 1,
  kept: 8,
  divisor: 'group',
  read: 0.6,
  echo: 0.4,
  noise: 5,
  start: 0.5,
  learningRate: 6,
  steps: 200,
  prompts: 64,
};

interface Played {
  readonly weight: number;
  readonly reads: readonly boolean[];
  readonly totals: readonly number[];
}

/** All that a group of two can come to. */
function listGroups(own: EchoTrap, isTelling: boolean, p: number): Played[] {
  const bits = [false, true];
  const pays = (isReading: boolean, isHigh: boolean): [weight: number, total: number] => {
    if (!isTelling) return [0.5, 0.5 + (isHigh ? 1 : -1) / (2 * own.noise)];
    const chance = isReading ? own.read : own.echo;
    return isHigh ? [chance, 1] : [1 - chance, 0];
  };
  return bits.flatMap((a) =>
    bits.flatMap((b) =>
      bits.flatMap((c) =>
        bits.map((d) => {
          const [first, second] = [pays(a, c), pays(b, d)];
          const chosen = (a ? p : 1 - p) * (b ? p : 1 - p);
          return { weight: chosen * first[0] * second[0], reads: [a, b], totals: [first[1], second[1]] };
        }),
      ),
    ),
  );
}

/** The distribution of a step of two groups, one of them telling, by playing out every outcome. */
function enumerateSteps(own: EchoTrap, p: number): Map<number, number> {
  const steps = new Map<number, number>();
  for (const first of listGroups(own, true, p))
    for (const second of listGroups(own, false, p)) {
      const played = [first, second];
      const rule = { kind: 'ratio', value: own.kept / 2, zeros: 'keep' } as const;
      const { kept } = filterGroups(played, rule);
      const reads = kept.flatMap((group) => played[group]?.reads ?? []);
      const advantages = estimateGroupAdvantages(
        kept.flatMap((group) => played[group]?.totals ?? []),
        kept.flatMap((group) => [group, group]),
        own.divisor,
      );
      const sum = advantages.reduce((all, value, i) => all + value * ((reads[i] === true ? 1 : 0) - p), 0);
      const units = Math.round((own.learningRate * sum) / advantages.length / latticeOf(own).unit);
      steps.set(units, (steps.get(units) ?? 0) + first.weight * second.weight);
    }
  return steps;
}

describe('stepDistribution', () => {
  it.each([
    ['group', 1],
    ['group', 2],
    ['none', 1],
    ['none', 2],
  ] as const)('equals every outcome played out, divisor %s, %i kept', (divisor, kept) => {
    const own = { ...model, groups: 2, kept, divisor };
    for (const p of [0.5, 0.2]) {
      const step = stepDistribution(own, p);
      const middle = (step.length - 1) / 2;
      const played = enumerateSteps(own, p);
      expect(step.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      for (const [index, weight] of step.entries())
        expect([index - middle, weight]).toEqual([
          index - middle,
          expect.closeTo(played.get(index - middle) ?? 0, 12),
        ]);
    }
  });

  it('makes ratio^logit a fair game, from which the ruin follows', () => {
    const one = { ...model, groups: 1, kept: 1 };
    // up : down = 0.6 · 0.6 : 0.4 · 0.4
    const ratio = 0.16 / 0.36;
    for (const p of [0.05, 0.5, 0.9]) {
      const step = stepDistribution(one, p);
      const fair = step.reduce((sum, weight, i) => sum + weight * ratio ** (i - 1), 0);
      expect(fair).toBeCloseTo(1, 12);
    }
    // 2 p (1 − p) (0.36 − 0.16) units of 6 / (2 √2)
    expect(expectedStep(one, 0.5)).toBeCloseTo((0.5 * 0.2 * 6) / (2 * Math.SQRT2), 12);
  });
});

describe('computeTrap', () => {
  it('begins as set, and loses the mutual information of what is trapped', () => {
    const path = computeTrap({ ...model, telling: 0, learningRate: 20 });
    expect(path.reading[0]).toBeCloseTo(0.5, 12);
    expect(path.success[0]).toBeCloseTo(0.5, 12);
    expect(path.information[0]).toBeCloseTo(0.5 * Math.log(64), 12);
    // nothing tells reading from echoing: half of the runs end at either
    expect(path.reading.at(-1)).toBeCloseTo(0.5, 9);
    expect(path.trapped.at(-1)).toBeGreaterThan(0.35);
    expect(path.entropy.at(-1)).toBeLessThan((path.entropy[0] ?? 0) / 4);
  });

  it('traps fewer runs when fewer groups are noise', () => {
    const trapped = (change: Partial<EchoTrap>) => computeTrap({ ...model, ...change }).trapped.at(-1) ?? 1;
    const filtered = { ...model, kept: 2 };
    const asFast = (6 * expectedStep(model, 0.5)) / expectedStep(filtered, 0.5);
    expect(trapped({})).toBeGreaterThan(0.1);
    expect(trapped({ kept: 2, learningRate: asFast })).toBeLessThan(trapped({}) / 3);
    expect(trapped({ telling: 8 })).toBeLessThan(trapped({}) / 10);
  });
});

describe('the problem echo-trap', () => {
  it('is simulated as it is computed', () => {
    const settings = Object.fromEntries(
      Object.entries(models['echo-trap']?.settings ?? {}).map(([name, { value }]) => [name, value]),
    );
    const { comparisons } = models['echo-trap']?.run({ ...settings, steps: 60, runs: 100 }, 5) ?? {
      comparisons: [],
    };
    expect(comparisons).toHaveLength(8);
    for (const { setting, quantity, exact, simulated, error } of comparisons)
      expect([setting, quantity, Math.abs(simulated - exact) <= 4 * (error ?? 0) + 0.02]).toEqual([
        setting,
        quantity,
        true,
      ]);
  });

  it('refuses settings that contradict each other', () => {
    const run = (change: Record<string, number>) => () =>
      models['echo-trap']?.run({ ...(model as unknown as Record<string, number>), ...change }, 1);
    expect(run({ kept: 9 })).toThrow('kept is 9 of 8 groups');
    expect(run({ telling: 9 })).toThrow('telling is 9 of 8 groups');
    expect(run({ read: 0.3 })).toThrow('read is 0.3 and echo 0.4');
  });
});
