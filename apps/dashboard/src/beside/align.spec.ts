import { describe, expect, it } from 'vitest';
import { alignTurns, findDifference } from './align.js';

/** Turns from states and what was written there; the text is the action too. */
const turnsOf = (...parts: string[]) =>
  parts.map((part) => {
    const [stateKey = '', text = ''] = part.split(':');
    return {
      stateKey,
      response: `<answer>${text}</answer>`,
      actions: [{ text, valid: true, effective: true, slipped: null, reward: 0, metrics: {} }],
    };
  });
const pairs = (left: ReturnType<typeof turnsOf>, right: ReturnType<typeof turnsOf>) =>
  alignTurns(left, right).map(({ left: l, right: r, isSameState }) => [l, r, isSameState]);

describe('alignTurns', () => {
  it('puts a state that both reach beside itself, whenever they reach it', () => {
    const left = turnsOf('a:up', 'b:up', 'c:up', 'd:up');
    const right = turnsOf('a:left', 'x:up', 'y:up', 'c:up');
    expect(pairs(left, right)).toEqual([
      [0, 0, true],
      [1, 1, false],
      [undefined, 2, false],
      [2, 3, true],
      [3, undefined, false],
    ]);
  });

  it('goes by number where nothing is common, and where one has no turn', () => {
    expect(pairs(turnsOf('a', 'b'), turnsOf('c'))).toEqual([
      [0, 0, false],
      [1, undefined, false],
    ]);
    expect(pairs([], turnsOf('c'))).toEqual([[undefined, 0, false]]);
  });

  it('leaves no turn out and keeps their order, for random walks', () => {
    let seed = 1;
    const next = (): number => (seed = (seed * 16_807) % 2_147_483_647);
    for (let walk = 0; walk < 50; walk++) {
      const make = () => turnsOf(...Array.from({ length: next() % 12 }, () => 'abcd'.charAt(next() % 4)));
      const [left, right] = [make(), make()];
      const rows = alignTurns(left, right);
      expect(rows.flatMap((row) => row.left ?? [])).toEqual(left.map((_, at) => at));
      expect(rows.flatMap((row) => row.right ?? [])).toEqual(right.map((_, at) => at));
      for (const { left: l, right: r, isSameState } of rows)
        if (isSameState) expect(left[l ?? -1]?.stateKey).toBe(right[r ?? -1]?.stateKey);
    }
  });
});

describe('findDifference', () => {
  const find = (left: ReturnType<typeof turnsOf>, right: ReturnType<typeof turnsOf>) =>
    findDifference(left, right, alignTurns(left, right));
  const base = turnsOf('a:up', 'b:up');

  it('tells an action from a state, a text, and an end', () => {
    expect(find(base, turnsOf('a:up', 'b:down'))).toEqual({ row: 1, what: 'actions' });
    expect(find(base, turnsOf('a:up', 'c:up'))).toEqual({ row: 1, what: 'state' });
    expect(find(base, turnsOf('a:up'))).toEqual({ row: 1, what: 'end' });
    const said = base.map((turn) => ({ ...turn, response: `well, ${turn.response}` }));
    expect(find(base, said)).toEqual({ row: 0, what: 'text' });
    expect(find(base, base)).toBeUndefined();
  });
});
