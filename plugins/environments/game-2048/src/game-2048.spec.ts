import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { createStream } from '@espalier/plugin-kit';
import { actionNames, canMove, movesOf, slide } from './board.js';
import game2048 from './index.js';

testEnvironment(game2048, { seeds: [0, 1, 2, 3] });
testEnvironment(game2048, { params: { goal: 64, ends: 'goal' }, oracleSolves: 1 });
testEnvironment(game2048, {
  params: { size: 3, goal: 32, ends: 'goal', reward: 'score' },
  oracleSolves: 0.9,
});

interface GoldenGame {
  seed: number;
  start: number[];
  moves: [action: number, gained: number, moved: number, board: number[]][];
}

const create = (given: Record<string, unknown> = {}): ReturnType<typeof game2048.create> =>
  game2048.create(game2048.params.parse(given));
const boardOf = (instance: ReturnType<typeof create>): number[] =>
  (instance.facts!() as { board: number[][] }).board.flat();
const at = (instance: ReturnType<typeof create>, board: number[]): void => {
  const { noise } = instance.snapshot!() as { noise: unknown };
  instance.restore!({ board, score: 0, noise });
};

describe('the draws of NumPy', () => {
  const games = JSON.parse(
    readFileSync(join(goldenFolder('game-2048'), 'games.json'), 'utf8'),
  ) as GoldenGame[];

  it.each(games.map((game) => [game.seed, game] as const))('give the game of seed %d', async (seed, game) => {
    const instance = create({ reward: 'score' });
    await instance.reset({ state: seed, noise: seed });
    expect(boardOf(instance)).toEqual(game.start);
    for (const [action, gained, moved, board] of game.moves) {
      const result = await instance.step(actionNames[action]!);
      expect(result).toMatchObject({ reward: moved === 1 ? gained : -0.1, effective: moved === 1 });
      expect(boardOf(instance)).toEqual(board);
    }
  });
});

describe('slide', () => {
  it.each([
    [[2, 2, 2, 2], [4, 4, 0, 0], 8],
    [[2, 2, 4, 0], [4, 4, 0, 0], 4],
    [[4, 2, 2, 0], [4, 4, 0, 0], 4],
    [[0, 2, 0, 2], [4, 0, 0, 0], 4],
    [[2, 0, 4, 2], [2, 4, 2, 0], 0],
    [[2, 4, 8, 16], [2, 4, 8, 16], 0],
  ])('of %j to the left is %j, %d points', (row, expected, gained) => {
    const board = [...row, ...new Array<number>(12).fill(0)];
    const result = slide(board, 4, 3);
    expect(result).toEqual({
      board: [...expected, ...board.slice(4)],
      gained,
      moved: row.join() !== expected.join(),
    });
  });

  it('joins where the tiles slide to first', () => {
    const board = [2, 2, 2, 0, ...new Array<number>(12).fill(0)];
    expect(slide(board, 4, 1).board.slice(0, 4)).toEqual([0, 0, 2, 4]);
    const column = [2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
    expect(slide(column, 4, 2).board.filter((_, cell) => cell % 4 === 0)).toEqual([0, 0, 2, 4]);
    expect(slide(column, 4, 0).board.filter((_, cell) => cell % 4 === 0)).toEqual([4, 2, 0, 0]);
  });
});

describe('a game', () => {
  const checkered = [2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 4];

  it('pays the logarithm of the points, as RAGEN-2, and nothing for a move that moves nothing', async () => {
    const instance = create();
    at(instance, [2, 2, 4, 4, ...new Array<number>(12).fill(0)]);
    expect((await instance.step('Left')).reward).toBeCloseTo(Math.log2(13) / 10, 12);
    at(instance, [2, 4, ...new Array<number>(14).fill(0)]);
    expect(await instance.step('Left')).toMatchObject({ reward: 0, valid: true, effective: false });
    expect(await create({ reward: 'score' }).step('Up')).toMatchObject({ reward: -0.1, effective: false });
    expect((await create({ reward: 'score', unmoved: -2 }).step('Up')).reward).toBe(-2);
  });

  it('ends when nothing moves, and succeeds only if the goal is there then', async () => {
    const instance = create({ goal: 8, twoProbability: 1 });
    at(instance, checkered);
    // the last pair joins, and the new tile fills the gap
    expect(await instance.step('Left')).toMatchObject({ done: true, success: true, effective: true });
    const stuck = create({ goal: 8 });
    at(stuck, [2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 8]);
    expect(await stuck.step('Left')).toMatchObject({ done: true, success: true, effective: false });
    const failed = create({ goal: 16 });
    at(failed, [2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 8]);
    expect(await failed.step('Left')).toMatchObject({ done: true, success: false });
  });

  it('ends at the goal where it should', async () => {
    const board = [4, 4, ...new Array<number>(14).fill(0)];
    for (const [ends, done] of [
      ['goal', true],
      ['stuck', false],
    ] as const) {
      const instance = create({ goal: 8, ends });
      at(instance, board);
      expect(await instance.step('Left')).toMatchObject({
        done,
        success: done,
        metrics: { max_tile: 8, score: 8 },
      });
    }
  });

  it('of the oracle reaches 256 in most cases, looking at the board alone', async () => {
    const instance = create({ goal: 256, ends: 'goal' });
    let reached = 0;
    for (let seed = 0; seed < 20; seed++) {
      await instance.reset({ state: seed, noise: seed + 1 });
      reached += instance.oracle!().length > 0 ? 1 : 0;
    }
    expect(reached).toBeGreaterThanOrEqual(16);
  });

  it('refuses a goal that does not fit, and an unknown move', () => {
    expect(() => game2048.params.parse({ size: 3, goal: 1024 })).toThrow(/too small for this tile/);
    expect(() => game2048.params.parse({ goal: 100 })).toThrow();
    expect(() => create().step('up')).toThrow(/"up" is not an action/);
  });

  it('explains what each direction joins', () => {
    const instance = create();
    at(instance, [2, 2, 0, 0, ...new Array<number>(12).fill(0)]);
    expect(instance.explain!(['Left'])).toBe('Right joins 4. Down joins none. Left joins 4. I take Left.');
  });
});

describe('whether a board can move', () => {
  it('is whether a direction moves it, full boards and the empty one included', () => {
    const stream = createStream(5);
    const boards = Array.from({ length: 3000 }, (_, index) => {
      const size = 2 + (index % 3);
      const values = [index % 2, 2, 4, 8, 16, 32].map((value) => (value === 1 ? 0 : value || 64));
      return { size, board: Array.from({ length: size * size }, () => stream.pick(values)) };
    });
    boards.push({ size: 2, board: [0, 0, 0, 0] });
    const stuck = boards.filter(({ board, size }) => {
      expect(canMove(board, size)).toBe(movesOf(board, size).length > 0);
      return !canMove(board, size);
    });
    expect(stuck.length).toBeGreaterThan(50);
  });
});
