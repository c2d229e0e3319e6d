import type { ActionRecord, Turn } from '@espalier/contracts';
import type { FailureLabel } from '@espalier/contracts/failure-labels';
import { sampleTurn } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { type EpisodeTrace, labelEpisode, type TurnTrace } from './failure-labels.js';

const names = ['Left', 'Right', 'Up', 'Down'];

const act = (text: string, given: Partial<ActionRecord> = {}): ActionRecord => ({
  text,
  valid: true,
  effective: true,
  reward: 0,
  metrics: {},
  ...given,
});

interface Played extends Partial<Turn> {
  /** keys of the states shown and after each action; default: one new state per action */
  readonly states?: readonly string[];
  readonly available?: readonly string[] | undefined;
}

let states = 0;

/** An episode that ended by its turns, each turn with one action into a new state, unless told otherwise. */
function episode(turns: readonly Played[], given: Partial<EpisodeTrace> = {}): EpisodeTrace {
  const built = turns.map((turn, index) =>
    sampleTurn(index, { think: '', actions: [act('Up')], formatValid: true, ...turn }),
  );
  const traces = turns.map(({ states: keys, ...turn }): TurnTrace => ({
    states: keys ?? [`s${states}`, ...(turn.actions ?? [0]).map(() => `s${(states += 1)}`)],
    available: 'available' in turn ? turn.available : names,
  }));
  return { turns: built, traces, stopReason: 'success', hasBudget: true, ...given };
}

const labels = (trace: EpisodeTrace): [FailureLabel, number][] =>
  labelEpisode(trace).map(({ name, turn }) => [name, turn]);

describe('labelEpisode', () => {
  it('finds nothing in a straight way to success', () => {
    const way = [{ plan: ['Up', 'Up'] }, { plan: ['Up'] }];
    expect(labels(episode(way))).toEqual([]);
  });

  it('labels replies without the format and replies without a known action', () => {
    expect(labels(episode([{}, { formatValid: false }]))).toEqual([['format-failure', 1]]);
    expect(labels(episode([{ actions: [] }, {}]))).toEqual([['format-failure', 0]]);
  });

  it('labels illegal actions', () => {
    expect(labels(episode([{}, { actions: [act('Up'), act('Up', { valid: false })] }]))).toEqual([
      ['invalid-action', 1],
    ]);
  });

  it('labels an action repeated without effect, across turns too', () => {
    const still = { effective: false };
    expect(labels(episode([{ actions: [act('Up', still)] }, { actions: [act('Up', still)] }]))).toEqual([
      ['no-op-loop', 1],
    ]);
    expect(labels(episode([{ actions: [act('Up', still), act('Left', still)] }]))).toEqual([]);
    expect(labels(episode([{ actions: [act('Up'), act('Up', still)] }]))).toEqual([]);
  });

  it.each([
    ['of two states', ['a', 'b', 'a', 'b'], true],
    ['of three states', ['x', 'a', 'b', 'c', 'a', 'b', 'c'], true],
    ['of four states, standing still between', ['a', 'b', 'b', 'c', 'd', 'a', 'b', 'c', 'd'], true],
    ['visited once and a half', ['a', 'b', 'a'], false],
    ['of five states', ['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd', 'e'], false],
    ['in another order', ['a', 'b', 'c', 'b', 'a', 'c'], false],
  ])('recognizes a cycle %s', (_case, keys, found) => {
    const turns = keys.slice(1).map((key, index) => ({ states: [keys[index]!, key] }));
    expect(labels(episode(turns)).some(([name]) => name === 'cycle')).toBe(found);
  });

  it('labels the turn that makes the way longer, unless chance did it', () => {
    const away = { plan: ['Up'], actions: [act('Down')] };
    expect(labels(episode([away, { plan: ['Up', 'Up'] }]))).toEqual([['misplanning', 0]]);
    expect(
      labels(episode([{ plan: ['Up'], actions: [act('Up', { slipped: true })] }, { plan: ['Up', 'Up'] }])),
    ).toEqual([]);
    expect(
      labels(episode([{ ...away, actions: [act('Down', { effective: false })] }, { plan: ['Up'] }])),
    ).toEqual([]);
  });

  it('labels a wrong end as misplanning and premature stop', () => {
    const wrong = [{ plan: ['Up'], actions: [act('Down')] }];
    expect(labels(episode(wrong, { stopReason: 'failure' }))).toEqual([
      ['misplanning', 0],
      ['premature-stop', 0],
    ]);
    expect(labels(episode(wrong, { stopReason: 'failure', hasBudget: false }))).toEqual([['misplanning', 0]]);
    const asPlanned = [{ plan: ['Up'], actions: [act('Up')] }];
    expect(labels(episode(asPlanned, { stopReason: 'failure', hasBudget: false }))).toEqual([]);
  });

  it('labels the turn after which no way is left', () => {
    const stuck = { stopReason: 'turns', hasBudget: false } as const;
    expect(labels(episode([{ plan: ['Up'] }, { plan: [] }], { ...stuck, lastPlan: [] }))).toEqual([
      ['dead-end', 0],
      ['budget-exhausted', 1],
    ]);
    expect(labels(episode([{ plan: ['Up'] }], { ...stuck, lastPlan: [] }))).toEqual([
      ['dead-end', 0],
      ['budget-exhausted', 0],
    ]);
    expect(labels(episode([{ plan: [] }], { ...stuck, lastPlan: [] }))).toEqual([['budget-exhausted', 0]]);
  });

  it('labels a slip that costs the episode something', () => {
    const slipped = { plan: ['Up'], actions: [act('Up', { slipped: true })] };
    expect(labels(episode([slipped], { stopReason: 'failure' }))).toEqual([['unlucky-slip', 0]]);
    const late = { stopReason: 'turns', hasBudget: false } as const;
    expect(labels(episode([slipped, { plan: ['Up', 'Up'] }], { ...late, lastPlan: ['Up'] }))).toEqual([
      ['unlucky-slip', 0],
      ['budget-exhausted', 1],
    ]);
    expect(labels(episode([slipped, { plan: ['Up', 'Up'] }]))).toEqual([]);
    expect(labels(episode([slipped, { plan: ['Up'] }], { ...late, lastPlan: ['Up'] }))).toEqual([
      ['budget-exhausted', 1],
    ]);
  });

  it('labels the limit of an environment as a budget, unless success was one turn away', () => {
    const limit = { stopReason: 'failure', hasBudget: false, reachedOwnLimit: true } as const;
    const far = [{ plan: ['Up', 'Up'], actions: [act('Left')] }];
    expect(labels(episode(far, limit))).toEqual([['budget-exhausted', 0]]);
    expect(labels(episode([{ actions: [act('Left', { slipped: true })] }], limit))).toEqual([
      ['budget-exhausted', 0],
    ]);
    const near = [{ plan: ['Up'], actions: [act('Left')] }];
    expect(labels(episode(near, limit))).toEqual([['misplanning', 0]]);
  });

  it('does not look for names without letters', () => {
    expect(labels(episode([{ think: 'on', actions: [act('Up')], available: ['', 'Up'] }]))).toEqual([]);
  });

  it.each(['actions', 'turns', 'context'] as const)('labels the budget that %s exhaust', (stopReason) => {
    expect(labels(episode([{}, {}], { stopReason, hasBudget: false }))).toEqual([['budget-exhausted', 1]]);
  });

  it.each([
    ['goal is right', ['Left'], names, true],
    ['goal is RIGHT, then left.', ['Left'], names, false],
    ['an upright person', ['Left'], names, false],
    ['no direction at all', ['Left'], names, false],
    ['right', ['Left', 'Right'], names, false],
    ['right', ['Left'], undefined, false],
    ['pick click[buy now]', ['click[back]'], ['click[buy now]', 'click[back]'], true],
  ])('compares the reasoning "%s" with %j', (think, taken, available, found) => {
    const trace = episode([{ think, actions: taken.map((text) => act(text)), available }]);
    expect(labels(trace)).toEqual(found ? [['reasoning-action-mismatch', 0]] : []);
  });

  it('knows nothing of plans where none are recorded', () => {
    const trace = episode([{ actions: [act('Down')] }, {}], { stopReason: 'failure', hasBudget: false });
    expect(labels(trace)).toEqual([]);
  });
});
