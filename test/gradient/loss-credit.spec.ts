/**
 * @file Every estimator of credit against exact rational numbers, on 1,000 ragged batches (test/golden/loss).
 */
import {
  estimateAdvantageMetrics,
  estimateBiLevelGae,
  estimateCriticMetrics,
  estimateGroupAdvantages,
  estimateTokenGae,
  filterGroups,
  placeOnLossTokens,
  whiten,
} from '@espalier/objective';
import { describe, expect, it, vi } from 'vitest';
import { attemptOf, groupsOf } from './loss-algorithms.js';
import {
  type DrawnBatch,
  type ExpectedCredit,
  gatherEntries,
  loadBatches,
  loadLines,
} from './loss-batches.js';
import { Distances } from './sum-loss.js';

vi.setConfig({ testTimeout: 120_000 }); // seconds of work, more where the machine is shared

interface GoldenCredit {
  readonly gae: ExpectedCredit;
  readonly biLevel: ExpectedCredit;
  readonly whitened: readonly number[]; // [N]
  /** per trajectory, by normalization */
  readonly relative: Readonly<Record<'group' | 'batch' | 'none', readonly number[]>>;
  readonly filter: { readonly kept: readonly number[]; readonly deviations: readonly number[] };
}
type Discounts = Pick<DrawnBatch['options'], 'gamma' | 'lambda' | 'turnGamma' | 'bootstrap'>;

const batches = loadBatches();
const expected = loadLines<GoldenCredit>('credit');

function creditOf({ trajectories }: DrawnBatch, { turnGamma, ...options }: Discounts, isBiLevel: boolean) {
  return trajectories.map(attemptOf).map(({ rewards, turnEnds, lossMask, values = [] }) => {
    const placed = placeOnLossTokens(rewards, turnEnds, lossMask);
    if (!isBiLevel) return estimateTokenGae({ ...options, lossMask, values, rewards: placed.rewards });
    return estimateBiLevelGae({ ...options, ...placed, lossMask, values, turnGamma });
  });
}

function measure(name: 'gae' | 'biLevel', change: Partial<Discounts> = {}): Distances {
  const distances = new Distances();
  batches.forEach((batch, index) => {
    const at = `batch ${index}`;
    const golden = expected[index]?.[name] as ExpectedCredit;
    const attempts = batch.trajectories.map(attemptOf);
    const lossMask = attempts.map((attempt) => attempt.lossMask);
    const credit = creditOf(batch, { ...batch.options, ...change }, name === 'biLevel');
    const advantages = credit.map((one) => one.advantages);
    const returns = credit.map((one) => one.returns);
    const size = Math.max(1, ...golden.advantages.map(Math.abs));
    distances.add('advantages', at, gatherEntries(advantages, batch.trajectories), golden.advantages, size);
    distances.add('returns', at, gatherEntries(returns, batch.trajectories), golden.returns, size);
    const values = attempts.map((attempt) => attempt.values ?? []);
    const metrics: Record<string, number> = {
      ...estimateAdvantageMetrics(advantages, lossMask),
      ...estimateCriticMetrics(values, returns, lossMask),
    };
    for (const [metric, value] of Object.entries(golden.metrics)) {
      distances.add(metric, at, [metrics[metric] as number], [value], Math.max(size, Math.abs(value)));
    }
  });
  return distances;
}

describe('credit, against exact numbers', () => {
  it.each(['gae', 'biLevel'] as const)('agrees within 1e-10: %s, placement of rewards included', (name) => {
    const distances = measure(name);
    expect(distances.names).toHaveLength(6);
    expect(distances.beyond(1e-10)).toEqual([]);
  });

  it('agrees within 1e-10: whitening', () => {
    const distances = new Distances();
    batches.forEach((batch, index) => {
      const advantages = creditOf(batch, batch.options, false).map((one) => one.advantages);
      const lossMask = batch.trajectories.map(({ mask }) => mask);
      const whitened = gatherEntries(whiten(advantages, lossMask), batch.trajectories);
      distances.add('whitened', `batch ${index}`, whitened, expected[index]?.whitened ?? []);
    });
    expect(distances.beyond(1e-10)).toEqual([]);
  });

  it.each(['group', 'batch', 'none'] as const)('agrees within 1e-10: relative to the group (%s)', (name) => {
    const distances = new Distances();
    batches.forEach(({ trajectories }, index) => {
      const attempts = trajectories.map(attemptOf);
      const totals = attempts.map(({ total }) => total);
      const groups = attempts.map(({ group }) => group);
      const advantages = estimateGroupAdvantages(totals, groups, name);
      distances.add(
        name,
        `batch ${index}`,
        advantages,
        expected[index]?.relative[name] ?? [],
        Math.max(1, ...totals),
      );
    });
    expect(distances.beyond(1e-10)).toEqual([]);
  });

  it('keeps the groups of largest deviation, equal ones by lower index', () => {
    const distances = new Distances();
    batches.forEach((batch, index) => {
      const golden = expected[index]?.filter;
      const totals = groupsOf(batch).map((group) => group.totals);
      const { kept, scores } = filterGroups(
        totals.map((own) => ({ totals: own })),
        { kind: 'ratio', value: batch.options.keepPercent / 100, zeros: 'keep' },
      );
      expect(kept, `batch ${index}: ${JSON.stringify(totals)}`).toEqual(golden?.kept);
      distances.add('deviations', `batch ${index}`, scores, golden?.deviations ?? []);
    });
    expect(distances.beyond(1e-10)).toEqual([]);
  });
});

describe('almost correct credit', () => {
  it.each([
    ['gae', { bootstrap: 0 }],
    ['gae', { lambda: 1 }],
    ['biLevel', { turnGamma: 1 }],
    ['biLevel', { gamma: 1 }],
  ] as const)('differs: %s with %o throughout', (name, change) => {
    expect(measure(name, change).beyond(0.01).length).toBeGreaterThan(3);
  });
});
