import type { StoredTrajectory } from '@espalier/recorder';
import { describe, expect, it } from 'vitest';
import { chooseTrajectories, describeMissing } from './choose-trajectories.js';

const all = [0, 1, 2].flatMap((group) =>
  [0, 1].map((index) => ({ split: 'train', group, index, success: true }) as StoredTrajectory),
);

describe('what is shown of a step', () => {
  it('is a success and a failure of those that were sampled, not what they were compared with', () => {
    const outcome = (name: string) => ({ update: { outcome: name } }) as Partial<StoredTrajectory>;
    const step = [
      { ...all[0], ...outcome('greedy-baseline'), index: 9, success: false },
      { ...all[0], ...outcome('trained'), success: true },
    ] as StoredTrajectory[];
    expect(chooseTrajectories(step, {}).shown).toEqual([step[1]]);
    expect(chooseTrajectories(step, { index: 9 }).shown).toEqual([step[0]]);
  });
});

describe('what a step does not have', () => {
  it.each([
    [{ group: 99 }, 'no group 99; groups are 0..2'],
    [{ group: 1, index: 7 }, 'no trajectory with index 7; indices are 0..1'],
    [{ split: 'validation' as const }, 'it has no trajectories of validation; leave --split out'],
  ])('is named for %o', (filter, finding) => {
    expect(chooseTrajectories(all, filter).matching).toBe(0);
    expect(describeMissing(all, filter)).toBe(finding);
  });

  it('is nothing where all succeeded: that there is no failure is an answer', () => {
    expect(chooseTrajectories(all, { failed: true }).matching).toBe(0);
    expect(describeMissing(all, { failed: true })).toBeUndefined();
  });
});
