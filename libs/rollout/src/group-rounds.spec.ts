import { describe, expect, it } from 'vitest';
import { isDecided, nextRound, playRounds, type Slot } from './group-rounds.js';

const record = (successes: number, failures: number) => ({
  size: successes + failures,
  successes,
  failures,
});
const options = { first: 4, most: 12, enough: 0 };
const never = new AbortController().signal;

describe('rounds of a step', () => {
  it('give more to groups whose pass rate is uncertain, by hand', () => {
    // variances after 4: 1/4 → 2·4/(36·7) = 0.0317, 2/4 → 9/(36·7) = 0.0357, 0/4 → 5/(36·7) = 0.0198;
    // 2/4 + one: 3.5·3.5/(49·8) = 0.03125 < 0.0317, so the two open groups take turns:
    // 1/4 + one: 2.33·4.67/(49·8) = 0.0278; 2/4 + two 16/(64·9) = 0.0278; the hopeless one stays last
    const groups = [record(0, 4), record(1, 3), record(2, 2)];
    expect(nextRound(options, groups, 3)).toEqual([0, 1, 2]);
    expect(nextRound(options, groups, 1)).toEqual([0, 0, 1]);
  });

  it('give out no more than is left, nor more than a group may have', () => {
    expect(nextRound(options, [record(2, 2)], 9)).toEqual([4]);
    expect(nextRound({ ...options, most: 5 }, [record(2, 2), record(0, 4)], 9)).toEqual([1, 1]);
    expect(nextRound(options, [record(6, 6)], 9)).toEqual([0]);
  });

  it('leave a group that is decided', () => {
    const enough = { ...options, enough: 2 };
    expect(isDecided(enough, record(2, 5))).toBe(true);
    expect(isDecided(enough, record(1, 9))).toBe(false);
    expect(isDecided(options, record(9, 9))).toBe(false);
    expect(nextRound(enough, [record(2, 2), record(0, 4)], 4)).toEqual([0, 4]);
    expect(nextRound(enough, [record(2, 2), record(3, 2)], 4)).toEqual([0, 0]);
  });

  /** Plays coins of known outcome; what each group got. */
  const play = async (coins: readonly (readonly boolean[])[], own: Partial<typeof options> = {}) => {
    const rounds: number[] = [];
    const seen: Slot[] = [];
    const outcomes = await playRounds(
      { ...options, ...own },
      {
        groups: coins.length,
        total: coins.length * 8,
        signal: never,
        recordOf: (played: readonly (Slot & { won: boolean })[]) => {
          const won = played.filter((one) => one.won).length;
          return record(won, played.length - won);
        },
        play: async (slots) => {
          rounds.push(slots.length);
          seen.push(...slots);
          return slots.map((slot) => ({ ...slot, won: coins[slot.own]?.[slot.index] ?? false }));
        },
      },
    );
    const sizes = coins.map((_, group) => outcomes.filter((one) => one.own === group).length);
    return { outcomes, sizes, rounds, seen };
  };
  const even = Array.from({ length: 12 }, (_, index) => index % 2 === 0);
  const none = even.map(() => false);

  it('play a step of the same total, each trajectory once and in order', async () => {
    const { sizes, outcomes, seen } = await play([even, none, none]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(24);
    expect(sizes[0]).toBeGreaterThan(sizes[1] as number);
    expect(new Set(seen.map(({ own, index }) => `${own}/${index}`)).size).toBe(24);
    expect(outcomes.map(({ own, index }) => [own, index])).toEqual(
      sizes.flatMap((size, own) => Array.from({ length: size }, (_, index) => [own, index])),
    );
  });

  it('save what decided groups do not need', async () => {
    const { sizes, rounds } = await play([even, even, none], { enough: 2 });
    expect(sizes).toEqual([4, 4, 12]); // the hopeless one is sampled to its limit, 4 of 24 are saved
    expect(rounds).toEqual([12, 8]);
  });
});
