import { describe, expect, it } from 'vitest';
import { layOut, type Member, spacedSteps, ticksOf } from './layout.js';

const run = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  parentRunId: null,
  parentStep: null,
  continues: false,
  step: 10,
  steps: 20,
  createdAt: id,
  ...more,
});
const fork = (id: string, parentRunId: string, parentStep: number, more: Partial<Member> = {}): Member =>
  run(id, { parentRunId, parentStep, continues: true, ...more });

describe('the branches of a family', () => {
  it('share one axis: a fork that continues counts on, one from weights counts anew', () => {
    const runs = [
      run('a'),
      fork('b', 'a', 6, { step: 8 }),
      fork('c', 'a', 6, { continues: false, step: 3, steps: 5 }),
    ];
    expect(
      layOut(runs, 'a').map(({ run: { id }, offset, from, to, end, parentRow }) => [
        id,
        offset,
        from,
        to,
        end,
        parentRow,
      ]),
    ).toEqual([
      ['a', 0, 0, 10, 20, undefined],
      ['b', 0, 6, 8, 20, 0],
      ['c', 6, 6, 9, 11, 0],
    ]);
  });

  it('add up along weights, stand under their parent, and wait at their beginning', () => {
    const runs = [
      run('a'),
      fork('b', 'a', 4, { continues: false, step: null }),
      fork('c', 'b', 2),
      fork('d', 'a', 8),
    ];
    const rows = layOut(runs, 'a').map(({ run: { id }, offset, from, parentRow }) => [
      id,
      offset,
      from,
      parentRow,
    ]);
    expect(rows).toEqual([
      ['a', 0, 0, undefined],
      ['d', 0, 8, 0],
      ['b', 4, 4, 0],
      ['c', 4, 6, 2],
    ]);
    expect(layOut(runs, 'a')[2]).toMatchObject({ from: 4, to: 4 });
  });

  it('keep seeds of one setting together, and follow no circle', () => {
    const runs = [run('a', { parentRunId: 'd' }), fork('b', 'a', 4), fork('c', 'a', 4), fork('d', 'a', 4)];
    const bands = layOut(runs, 'a', [['a'], ['b', 'd']]).map(({ run: { id }, band }) => [id, band]);
    expect(bands).toEqual([['a', undefined], ['b', 0], ['d', 0], ['c', undefined]]); // prettier-ignore
  });

  it('have round ticks', () => {
    expect(ticksOf(24)).toEqual([0, 5, 10, 15, 20]);
    expect(ticksOf(3)).toEqual([0, 1, 2, 3]);
    expect(ticksOf(0)).toEqual([0]);
  });
});

describe('the dots of a run', () => {
  it('do not cover each other: the oldest, the newest and those between for which there is room', () => {
    expect(spacedSteps([2, 4, 6, 8, 10], 20, undefined)).toEqual([2, 4, 6, 8, 10]);
    const many = Array.from({ length: 900 }, (_, n) => 2 * (n + 1));
    const kept = spacedSteps(many, 1800, undefined);
    expect(kept.length).toBeGreaterThan(50);
    expect([kept[0], kept.at(-1)]).toEqual([2, 1800]);
    expect(kept.slice(1).every((step, n) => step - (kept[n] as number) >= 27)).toBe(true);
    // all of them lie within one dot
    expect(spacedSteps([2, 4, 6], 5000, undefined)).toEqual([2]);
  });

  it('have the chosen one, whatever is beside it', () => {
    expect(spacedSteps([2, 4, 6], 5000, 4)).toEqual([4]);
    expect(spacedSteps([2, 4, 6], 5000, 5)).toEqual([2]);
  });
});
