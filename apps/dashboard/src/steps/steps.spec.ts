import type { TrajectoryRow } from '@espalier/client';
import { describe, expect, it } from 'vitest';
import { countFlow, differences, leftAfter, readFlow } from './flow.js';
import { toGroups } from './groups.js';
import { cliffsDelta, findMoved } from './moved.js';
import { rangeOf } from './steps-page.js';

const row = (group: number, index: number, more: Partial<TrajectoryRow> = {}): TrajectoryRow =>
  ({
    id: `train/1/${group}/${index}`,
    step: 1,
    group,
    index,
    environmentTag: null,
    reward: 0,
    success: false,
    turns: 1,
    sampledTokens: 10,
    lossTokens: 10,
    clippedTokens: 0,
    updateShare: null,
    labels: [],
    kept: true,
    dropped: null,
    outcome: 'trained',
    error: null,
    ...more,
  }) as TrajectoryRow;

describe('the flow of a step', () => {
  const dropped = { outcome: 'dropped', kept: false, lossTokens: 8 } as const;
  const rows = [
    row(0, 0, { lossTokens: 8, clippedTokens: 3 }),
    row(0, 1),
    row(1, 0, { ...dropped, dropped: { reason: 'zero-variance', numbers: {} } }),
    row(2, 0, { ...dropped, dropped: { reason: 'low-variance', numbers: {} } }),
    row(2, 1, { ...dropped, dropped: { reason: 'low-variance', numbers: {} } }),
    row(3, 0, { outcome: 'failed', sampledTokens: 4, reward: null, error: 'it broke' }),
    row(9, 0, { outcome: null }),
  ];
  const sums = countFlow(rows);
  const flow = readFlow(sums);

  it('is counted from trajectories under the names of the metrics', () => {
    expect(Object.fromEntries(sums)).toEqual({
      trajectories: 6,
      tokens: 54,
      'trajectories/trained': 2,
      'tokens/masked': 2,
      'tokens/clipped': 3,
      'tokens/trained': 15,
      'trajectories/dropped': 3,
      'tokens/dropped': 30,
      'dropped_trajectories/zero_variance': 1,
      'dropped_tokens/zero_variance': 10,
      'dropped_trajectories/low_variance': 2,
      'dropped_tokens/low_variance': 20,
      'trajectories/failed': 1,
      'tokens/failed': 4,
    });
  });

  it('has a stage for each reason, and its parts are all that was sampled', () => {
    expect(flow?.stages.map(({ id, trajectories, tokens }) => [id, trajectories, tokens])).toEqual([
      ['failed', 1, 4],
      ['dropped/low-variance', 2, 20],
      ['dropped/zero-variance', 1, 10],
      ['masked', undefined, 2],
      ['clipped', undefined, 3],
      ['trained', 2, 15],
    ]);
    expect(flow?.stages.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(flow?.tokens);
    expect(flow === undefined ? [] : leftAfter(flow)).toEqual([50, 30, 20, 18, 15, 15]);
    expect(flow?.stages[1]?.search).toEqual({ split: 'train', outcome: 'dropped', reason: 'low-variance' });
  });

  it('is absent where nothing was counted, rather than 0', () => {
    expect(readFlow(new Map())).toBeUndefined();
    expect(readFlow(new Map([['trajectories', 3]]))).toBeUndefined();
  });

  it('names each count that the stored trajectories do not have', () => {
    const told = new Map(sums).set('tokens/clipped', 4);
    expect(differences(told, sums)).toEqual([{ name: 'tokens/clipped', told: 4, stored: 3 }]);
    expect(differences(sums, sums)).toEqual([]);
  });
});

describe('what moved', () => {
  it('is measured by Cliff’s delta, as over all pairs', () => {
    // now {2, 3}, before {1, 2, 2}: 4 pairs above (2>1, 3>1, 3>2 twice), none below, 2 equal
    expect(cliffsDelta([0, 1, 1], [1, 2, 0])).toBeCloseTo(4 / 6, 12);
    const [now, before] = [
      [3, 0, 5, 1],
      [1, 4, 0, 2],
    ];
    let pairs = 0;
    now.forEach((own, a) => before.forEach((other, b) => (pairs += own * other * Math.sign(a - b))));
    expect(cliffsDelta(now, before)).toBeCloseTo(pairs / (9 * 7), 12);
    expect(cliffsDelta([0, 0], [1, 1])).toBe(0);
  });

  it('tells a shift of rewards from chance, and leads to the extremes', () => {
    const list = (shift: number) =>
      Array.from({ length: 32 }, (_, n) =>
        row(n >> 2, n % 4, { reward: (n % 4) + shift, id: `${shift}/${n}` }),
      );
    const [moved, ...others] = findMoved(list(2), list(0)) ?? [];
    expect(others).toEqual([]);
    // now 2..5, before 0..3: of 16 pairs of values 13 are above, 1 below, 2 equal
    expect(moved).toMatchObject({ measure: { id: 'reward' }, delta: (13 - 1) / 16, now: 3.5, before: 1.5 });
    expect(moved?.low).toBeGreaterThan(0);
    expect(moved?.high).toBeLessThanOrEqual(1);
    expect(moved?.extremes.map(({ reward }) => reward)).toEqual([5, 5, 5]);
    expect(findMoved(list(0), list(0))).toEqual([]);
  });

  it('says nothing of too few groups', () => {
    expect(findMoved([row(0, 0)], [row(0, 0)])).toBeUndefined();
  });
});

describe('the groups of a step', () => {
  it('come by their part in the update, with deviation and fate', () => {
    const groups = toGroups([
      row(0, 0, { reward: 1, updateShare: 0.2 }),
      row(0, 1, { reward: 3, updateShare: 0.1 }),
      row(1, 0, { reward: 2, updateShare: 0.7 }),
      row(1, 1, { reward: null, outcome: 'failed' }),
      row(2, 0, { outcome: 'dropped', dropped: { reason: 'zero-variance', numbers: {} } }),
      // what the others are compared with: shown, and in no number of its group
      row(0, 2, { outcome: 'greedy-baseline', kept: false, reward: 99 }),
    ]);
    expect(groups[1]?.rows.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(groups.map(({ group, share, deviation, fate }) => [group, share, deviation, fate])).toEqual([
      [1, 0.7, undefined, '1 trained, 1 failed'],
      [0, expect.closeTo(0.3, 12), 1, 'trained'],
      [2, undefined, undefined, 'dropped: zero variance'],
    ]);
  });
});

it('steps of an address stay within those that are done', () => {
  const of = (text: string, last = 9) => rangeOf(new URLSearchParams(text), last);
  expect([of(''), of('from=3'), of('from=3&to=5'), of('from=7&to=2'), of('from=3&to=99')]).toEqual([
    { from: 9, to: 9 },
    { from: 3, to: 9 },
    { from: 3, to: 5 },
    { from: 7, to: 7 },
    { from: 3, to: 9 },
  ]);
  expect([of('from=-1'), of('from=x'), of('from=0', 4), of('', 0)]).toEqual([
    { from: 9, to: 9 },
    { from: 9, to: 9 },
    { from: 1, to: 4 },
    undefined,
  ]);
});
