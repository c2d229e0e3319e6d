import { describe, expect, it } from 'vitest';
import type { OpenedTrajectory } from '../data/types.js';
import { segmentsOf, tellVersion, tellWeights } from './weights.js';

const turnsOf = (...versions: (number | null)[]) =>
  versions.map((policyVersion, index) => ({
    index,
    policyVersion,
    sampled: { start: index * 10 + 4, end: index * 10 + 10 },
  })) as unknown as OpenedTrajectory['turns'];
const update = { policyVersion: 9 } as OpenedTrajectory['update'];

describe('segmentsOf', () => {
  it('joins turns of the same weights, and begins each where the one before ends', () => {
    expect(segmentsOf(turnsOf(7, 7, 8))).toEqual([
      { from: 0, to: 1, start: 0, end: 20, version: 7 },
      { from: 2, to: 2, start: 20, end: 30, version: 8 },
    ]);
    expect(segmentsOf([])).toEqual([]);
  });
});

describe('what is told of weights', () => {
  it('is how stale they were, where the update is known', () => {
    expect(tellVersion(9, update)).toBe('version 9, not stale');
    expect(tellVersion(8, update)).toBe('version 8, 1 optimizer step stale');
    expect(tellVersion(8, null)).toBe('version 8');
    expect(tellWeights({ turns: turnsOf(7, 7), update })).toBe('version 7, 2 optimizer steps stale');
    expect(tellWeights({ turns: turnsOf(7, 8), update })).toBe(
      'versions 7 to 8 in 2 segments, the oldest 2 optimizer steps stale',
    );
    expect(tellWeights({ turns: turnsOf(7, 8), update: null })).toBe('versions 7 to 8 in 2 segments');
    expect(tellWeights({ turns: [], update: null })).toBe('none sampled');
  });

  it('is not a version 0 where none is known', () => {
    expect(tellVersion(0, null)).toBe('version 0');
    expect(tellVersion(null, update)).toBe('version not known');
    expect(tellWeights({ turns: turnsOf(null, null), update })).toBe('version not known');
    expect(tellWeights({ turns: turnsOf(null, 0), update })).toBe('2 segments, not all of a known version');
  });
});
