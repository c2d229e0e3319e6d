/**
 * @file The vitest suite for algorithms: a valid selection, finite credit, losses whose gradients match finite
 * differences.
 */
import { estimateLossGradient, evaluateLoss, type LossNumbers } from '@espalier/objective';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import type {
  AlgorithmDefinition,
  CreditTrajectory,
  GroupScores,
  HeldGroup,
  StepSequence,
} from '../define-algorithm.js';
import { describeDefinition } from './definition.suite.js';

export interface AlgorithmSuiteOptions {
  /** options under test; the others have their defaults */
  readonly params?: Readonly<Record<string, unknown>>;
}

const policyColumns = ['oldLogprobs', 'advantages', 'referenceLogprobs'];
const valueColumns = ['oldValues', 'returns'];

/** Runs the suite on synthetic groups and trajectories of different lengths. */
export function testAlgorithm<Params>(
  definition: AlgorithmDefinition<Params>,
  options: AlgorithmSuiteOptions = {},
): void {
  const given = options.params ?? {};
  describe(`algorithm ${definition.id} ${JSON.stringify(given)}`, () => {
    describeDefinition(definition, given);
    const params = definition.params.parse(given);
    const needs = definition.needs(params);
    const memory = definition.startMemory?.(params, ['', 'first']) ?? {};

    it('states the share of groups it keeps, and no empty source', () => {
      expect(definition.source, 'source: paper and equation; leave it out where there is none').not.toBe('');
      const share = definition.keptShare(params);
      expect(share > 0 && share <= 1).toBe(true);
    });

    it('keeps a group if any has differences, in ascending order, with a reason for each', () => {
      for (const groups of [
        sampleGroups(1),
        sampleGroups(7),
        sampleGroups(8).map(({ group }) => ({ group, totals: [1, 1] })),
      ]) {
        const before = structuredClone(groups);
        const selection = definition.select(groups, params);
        const { kept, reasons } = selection;
        expect(groups).toEqual(before);
        expect(reasons).toHaveLength(groups.length);
        const isAnyDifferent = groups.some(({ totals }) => new Set(totals).size > 1);
        expect(kept.length > 0 || !isAnyDifferent).toBe(true);
        expect([...kept]).toEqual([...new Set(kept)].sort((a, b) => a - b));
        expect(kept.every((index) => Number.isInteger(index) && index >= 0 && index < groups.length)).toBe(
          true,
        );
        expect(definition.select(groups, params)).toEqual(selection);
        const isKept = new Set(kept);
        reasons.forEach((reason, index) => expect(reason === 'kept').toBe(isKept.has(index)));
      }
    });

    it('names the options with which it chooses groups, so that a tag of a run may have its own', () => {
      const read = readsOf(params, (noted) => {
        definition.select(sampleGroups(7), noted);
        definition.keptShare(noted);
        definition.resample?.(noted);
      });
      const elsewhere = readsOf(params, (noted) => {
        definition.needs(noted);
        definition.advantages(sampleCredit(needs), noted, memory);
        definition.policyLoss(noted);
        definition.stepColumns?.(sampleSequences(), noted);
      });
      const { selectOptions = [] } = definition;
      expect(read).toEqual(expect.arrayContaining([...selectOptions]));
      expect(selectOptions).toEqual(expect.arrayContaining(read.filter((name) => !elsewhere.includes(name))));
    });

    it('gives finite credit to every loss token, and does not change its input', () => {
      const trajectories = sampleCredit(needs);
      const credit = definition.advantages(trajectories, params, memory);
      const { advantages, returns, values, metrics } = credit;
      expect(Object.keys(memory)).toEqual(expect.arrayContaining(Object.keys(credit.memory ?? {})));
      expect(Object.values(credit.memory ?? {}).every(Number.isFinite)).toBe(true);
      expect(trajectories).toEqual(sampleCredit(needs));
      expect(returns !== undefined).toBe(needs.critic);
      const { critics = 1 } = needs;
      expect(Number.isInteger(critics) && critics >= 1, 'needs.critics: a whole number, 1 or more').toBe(
        true,
      );
      for (const arrays of [advantages, returns ?? [], values ?? []].filter(({ length }) => length > 0)) {
        expect(arrays).toHaveLength(trajectories.length);
        for (const [index, array] of arrays.entries()) {
          expect(array).toHaveLength(trajectories[index]!.lossMask.length);
          for (const [t, value] of array.entries()) {
            if (trajectories[index]!.lossMask[t] === 1) expect(Number.isFinite(value)).toBe(true);
          }
        }
      }
      for (const value of Object.values(metrics ?? {})) expect(Number.isFinite(value)).toBe(true);
    });

    it('reads only columns that exist, and the reference only if it needs one', () => {
      const { columns } = definition.policyLoss(params);
      const ofSteps = Object.keys(definition.stepColumns?.(sampleSequences(), params)[0] ?? {});
      expect([...policyColumns, ...ofSteps, ...Object.keys(memory)]).toEqual(
        expect.arrayContaining([...columns]),
      );
      expect(needs.reference || !columns.includes('referenceLogprobs')).toBe(true);
      expect(definition.valueLoss !== undefined || !needs.critic).toBe(true);
      if (needs.critic)
        expect(valueColumns).toEqual(expect.arrayContaining([...definition.valueLoss!(params).columns]));
    });

    if (definition.stepColumns !== undefined) {
      it('gives finite columns for each step, and does not change its input', () => {
        const columns = definition.stepColumns?.(sampleSequences(), params) ?? [];
        const sequences = sampleSequences();
        expect(definition.stepColumns?.(sequences, params)).toEqual(columns);
        expect(sequences).toEqual(sampleSequences());
        expect(columns).toHaveLength(sequences.length);
        for (const [index, own] of columns.entries()) {
          expect(Object.keys(own)).toEqual(Object.keys(columns[0] ?? {}));
          for (const values of Object.values(own)) {
            expect(values).toHaveLength(sequences[index]?.logprobs.length ?? -1);
            expect(Array.from(values).every(Number.isFinite)).toBe(true);
          }
        }
      });
    }

    for (const hook of ['drawReplay', 'holdReplay'] as const) {
      const ask = definition[hook];
      if (ask === undefined) continue;
      it(`names groups that there are in ${hook}, each once and no more than asked, by its stream alone`, () => {
        for (const [count, limit] of [[0, 3] as const, [1, 3] as const, [9, 3] as const, [9, 12] as const]) {
          const groups = sampleHeld(count);
          const named = ask(groups, params, { limit, stream: createStream(7) });
          expect(groups).toEqual(sampleHeld(count));
          expect(named.length).toBeLessThanOrEqual(limit);
          expect(new Set(named).size).toBe(named.length);
          expect(named.every((index) => Number.isInteger(index) && index >= 0 && index < count)).toBe(true);
          expect(ask(groups, params, { limit, stream: createStream(7) })).toEqual(named);
        }
      });
    }

    it('keeps finite numbers under the same names, whatever is measured', () => {
      expect(Object.values(memory).every(Number.isFinite)).toBe(true);
      for (const metrics of [{}, { 'policy/entropy': 0.5, 'policy/kl_reference': 0.1 }]) {
        const next = definition.nextMemory?.(memory, metrics, params) ?? memory;
        expect(Object.keys(next).sort()).toEqual(Object.keys(memory).sort());
        expect(Object.values(next).every(Number.isFinite)).toBe(true);
      }
    });

    it('has losses whose gradients match finite differences', () => {
      const losses = [
        definition.policyLoss(params),
        ...(needs.critic ? [definition.valueLoss!(params)] : []),
      ];
      for (const [index, loss] of losses.entries()) {
        const given = sampleNumbers(loss.columns, index === 1);
        const numbers = index === 1 ? given : withStepColumns(definition, params, given);
        const exact = evaluateLoss(loss, numbers);
        expect(exact.perToken.every(Number.isFinite)).toBe(true);
        const numeric = estimateLossGradient(loss, numbers);
        for (const [name, gradient] of Object.entries(exact.gradients)) {
          for (const [t, value] of gradient.entries()) expect(value).toBeCloseTo(numeric[name]![t]!, 5);
        }
      }
    });
  });
}

/** Names of the options that a call reads. */
function readsOf<Params>(params: Params, call: (noted: Params) => void): string[] {
  const read = new Set<string>();
  const noted = new Proxy(params as object, {
    get: (target, name) => {
      if (typeof name === 'string') read.add(name);
      return Reflect.get(target, name) as unknown;
    },
  });
  call(noted as Params);
  return [...read];
}

function sampleGroups(count: number): GroupScores[] {
  const stream = createStream(count);
  return Array.from({ length: count }, (_, group) => ({
    group,
    totals: Array.from({ length: 4 }, () => stream.int(5) / 4),
  }));
}

function sampleHeld(count: number): HeldGroup[] {
  const stream = createStream(count + 1);
  return sampleGroups(count).map(({ totals }, index) => ({
    totals,
    successes: totals.map((total) => total === 1),
    ...(index % 2 === 0 ? {} : { tag: 'first' }),
    weight: 1,
    age: stream.int(20),
  }));
}

function sampleCredit({
  critic,
  critics = 1,
  reference,
  greedyBaseline = false,
}: {
  readonly critic: boolean;
  readonly critics?: number;
  readonly reference: boolean;
  readonly greedyBaseline?: boolean;
}): CreditTrajectory[] {
  const stream = createStream(5);
  return Array.from({ length: 6 }, (_, index): CreditTrajectory => {
    const length = 6 + stream.int(10);
    const lossMask = Uint8Array.from({ length }, (_unused, t) => (t % 5 === 0 ? 0 : 1)); // [T]
    const turnEnds = [Math.floor(length / 2), length - 1];
    const rewards = new Float64Array(length); // [T]
    for (const end of turnEnds) {
      lossMask[end] = 1;
      rewards[end] = stream.int(3) / 2;
    }
    const total = rewards.reduce((sum, reward) => sum + reward, 0);
    const values = Float64Array.from(lossMask, (counts) => (counts === 1 ? stream.next() : 0)); // [T]
    return {
      group: Math.floor(index / 3),
      ...(index < 3 ? {} : { tag: 'first' }),
      total,
      rewards,
      lossMask,
      turnEnds,
      stateKeys: turnEnds.map((_unused, turn) => `state ${turn === 0 ? 0 : stream.int(2)}`),
      ...(greedyBaseline ? { greedyTotal: index < 3 ? 0.5 : total } : {}),
      ...(critic ? { values } : {}),
      ...(critic && critics > 1
        ? {
            criticValues: Array.from({ length: critics }, (_unused, k) =>
              values.map((value) => value / (k + 1)),
            ),
          }
        : {}),
      ...(reference ? { referenceGaps: values.map((value) => value - 0.5) } : {}),
    };
  });
}

function sampleNumbers(columns: readonly string[], critic: boolean): LossNumbers {
  const stream = createStream(9);
  const draw = (low: number, high: number): number[] =>
    Array.from({ length: 5 }, () => low + stream.next() * (high - low));
  const trained = critic ? { values: draw(-1, 1) } : { logprobs: draw(-2, -0.2), entropies: draw(0.1, 2) };
  return {
    ...trained,
    columns: Object.fromEntries(
      columns.map((name) => [name, name.endsWith('ogprobs') ? draw(-2, -0.2) : draw(-1.5, 1.5)]),
    ),
  };
}

/** Sequences before an optimizer step, of 1, 4 and 7 loss tokens. */
function sampleSequences(): StepSequence[] {
  const stream = createStream(3);
  const draw = (count: number, low: number, high: number): Float32Array =>
    Float32Array.from({ length: count }, () => low + stream.next() * (high - low)); // [n]
  return [1, 4, 7].map((count) => ({
    logprobs: draw(count, -2, -0.2),
    entropies: draw(count, 0.1, 2),
    columns: Object.fromEntries(
      policyColumns.map((name) => [name, name === 'advantages' ? draw(count, -1, 1) : draw(count, -2, -0.2)]),
    ),
  }));
}

/** The sample as one sequence, with what the algorithm computes for it before a step. */
function withStepColumns<Params>(
  { stepColumns }: AlgorithmDefinition<Params>,
  params: Params,
  numbers: LossNumbers,
): LossNumbers {
  const given = { ...sampleNumbers(policyColumns, false).columns, ...numbers.columns };
  const columns = Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, Float32Array.from(values)]),
  );
  const { logprobs = [], entropies = [] } = numbers;
  const [added = {}] =
    stepColumns?.(
      [{ logprobs: Float32Array.from(logprobs), entropies: Float32Array.from(entropies), columns }],
      params,
    ) ?? [];
  const own = Object.entries(added).map(([name, values]) => [name, Array.from(values)]);
  return { ...numbers, columns: { ...numbers.columns, ...(Object.fromEntries(own) as object) } };
}
