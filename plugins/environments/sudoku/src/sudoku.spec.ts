import { createStream } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { drawPuzzle, emptyCells } from './generate.js';
import { geometryOf, type Grid, isSolved, type Size } from './grid.js';
import sudoku from './index.js';
import { findSolutions, isUnique } from './solve.js';
import { readPlacement } from './text.js';

testEnvironment(sudoku, { oracleSolves: 1 });
testEnvironment(sudoku, { params: { size: 4, empty: 0.6 }, oracleSolves: 1 });
testEnvironment(sudoku, { params: { size: 4, empty: 0.6, puzzles: 'any' }, oracleSolves: 1 });
testEnvironment(sudoku, { params: { size: 16 }, seeds: [0, 1, 2, 3], oracleSolves: 1 });

/** Counts solutions without any of the search's shortcuts: the first empty cell, every number. */
function countPlainly(grid: Grid, size: Size, limit: number): number {
  const { unitsOf, units } = geometryOf(size);
  const cells = Uint8Array.from(grid);
  const count = (from: number): number => {
    let cell = from;
    while (cell < cells.length && cells[cell] !== 0) cell++;
    if (cell === cells.length) return 1;
    let found = 0;
    for (let value = 1; value <= size && found < limit; value++) {
      const fits = unitsOf[cell]!.every((unit) => units[unit]!.every((other) => cells[other] !== value));
      if (!fits) continue;
      cells[cell] = value;
      found += count(cell + 1);
      cells[cell] = 0;
    }
    return found;
  };
  return count(0);
}

const startWith = (given: object, ...rows: string[]) => {
  const instance = sudoku.create(sudoku.params.parse({ size: 4, ...given }));
  const solution = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
  const grid = [...rows.join('')].map((symbol) => (symbol === '.' ? 0 : Number(symbol)));
  instance.restore!({ grid, given: grid, solution });
  return instance;
};
const start = (...rows: string[]) => startWith({}, ...rows);

describe('the rewards of RAGEN-2', () => {
  it('are 1 for the number of the solution and 10 more for the last', async () => {
    const instance = start('12..', '3412', '2143', '4321');
    expect(await instance.step('place 3 at row 1 col 3')).toMatchObject({ reward: 1, done: false });
    expect(await instance.step('1,4,4')).toMatchObject({ reward: 11, done: true, success: true });
    expect(instance.render()).toBe('1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1');
  });

  it('are 0.5 for another number that fits, which can be replaced', async () => {
    const instance = startWith({ pays: 'every' }, '....', '....', '2143', '4321');
    expect(await instance.step('place 3 at (1, 1)')).toMatchObject({ reward: 0.5, effective: true });
    expect(instance.facts!()).toMatchObject({ wrong: 1, empty: 7 });
    expect(await instance.step('1 1 1')).toMatchObject({ reward: 1, effective: true });
    expect(instance.facts!()).toMatchObject({ wrong: 0, empty: 7 });
  });

  it('can be set one by one', async () => {
    const own = { correct: 2, fitting: 0.25, refused: -1, solved: 5 };
    const instance = startWith(own, '....', '....', '2143', '4321');
    expect((await instance.step('1,1,3')).reward).toBe(0.25);
    expect((await instance.step('1,2,2')).reward).toBe(2);
    expect((await instance.step('3,1,1')).reward).toBe(-1);
    expect((await startWith(own, '123.', '3412', '2143', '4321').step('1,4,4')).reward).toBe(7);
  });

  it('are by default for the first number of a cell only', async () => {
    const instance = start('....', '....', '2143', '4321');
    expect(await instance.step('1,1,3')).toMatchObject({ reward: 0.5, effective: true });
    for (const value of [1, 3, 1])
      expect(await instance.step(`1,1,${value}`)).toMatchObject({ reward: 0, effective: true });
    const last = start('123.', '3412', '2143', '432.');
    await last.step('4,4,1');
    expect(await last.step('1,4,4')).toMatchObject({ reward: 11, done: true });
  });

  it.each(['unique', 'any'] as const)('are most for the plan of the oracle, puzzles %s', async (puzzles) => {
    const instance = sudoku.create(sudoku.params.parse({ size: 4, empty: 0.6, puzzles }));
    for (let seed = 0; seed < 20; seed++) {
      await instance.reset({ state: seed, noise: 0 });
      const { empty } = instance.facts!() as { empty: number };
      let total = 0;
      for (const action of instance.oracle!()) {
        const { reward } = await instance.step(action);
        total += reward;
      }
      // the number of the solution once in each cell, and the end
      expect(total).toBe(empty + 10);
    }
  });

  it.each([
    ['1,3,2', true, 'stands in the row'],
    ['1,3,4', true, 'stands in the column'],
    ['1,1,4', false, 'a given number'],
    ['1,5,3', false, 'outside'],
    ['1,3,0', false, 'no number of the grid'],
    ['place 3 at row 1', false, 'incomplete'],
    ['', false, 'empty'],
    ['__proto__', false, 'no placement'],
    ['1,3,3'.padEnd(5000), false, 'too long'],
  ])('are -0.1 for %j, valid %s: %s', async (action, valid) => {
    const instance = start('12..', '3.12', '214.', '4321');
    instance.restore!({
      grid: [1, 2, 0, 0, 3, 0, 1, 2, 2, 1, 4, 0, 4, 3, 2, 1],
      given: [1, 2, 0, 0, 3, 0, 1, 2, 2, 1, 4, 0, 4, 3, 2, 1],
      solution: [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1],
    });
    expect(await instance.step(action)).toMatchObject({
      reward: -0.1,
      done: false,
      valid,
      effective: false,
    });
  });

  it('take any solution where there are several', async () => {
    const instance = start('..34', '34..', '..43', '43..');
    for (const action of ['1,1,2', '1,2,1', '2,3,1', '2,4,2', '3,1,1', '3,2,2', '4,3,2'])
      expect(await instance.step(action)).toMatchObject({ effective: true, done: false });
    expect(await instance.step('4,4,1')).toMatchObject({ reward: 11, done: true, success: true });
  });
});

describe('the puzzles', () => {
  it.each([4, 9] as const)('of size %d have one solution, as a plain exhaustive search confirms', (size) => {
    for (let seed = 0; seed < (size === 4 ? 200 : 12); seed++) {
      const { given, solution } = drawPuzzle(seed, {
        size,
        empty: size === 4 ? 0.6 : 0.5,
        puzzles: 'unique',
      });
      expect(isSolved(solution, geometryOf(size))).toBe(true);
      expect(countPlainly(given, size, 2)).toBe(1);
      for (const [cell, value] of given.entries()) if (value !== 0) expect(value).toBe(solution[cell]);
    }
  });

  it('have as many empty cells as asked for, where one solution allows it', () => {
    const empty = (size: Size, share: number, seed: number): number =>
      drawPuzzle(seed, { size, empty: share, puzzles: 'unique' }).given.filter((value) => value === 0).length;
    for (let seed = 0; seed < 20; seed++) {
      expect(empty(9, 0.6, seed)).toBe(emptyCells({ size: 9, empty: 0.6 }));
      expect(empty(4, 0.6, seed)).toBe(9);
    }
    expect(empty(9, 0.5, 1)).toBe(40);
    expect(emptyCells({ size: 4, empty: 0.05 })).toBe(1);
    expect(empty(16, 0.5, 1)).toBe(128);
  });

  it('of RAGEN-2 often have more than one solution', () => {
    const geometry = geometryOf(4);
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    const several = seeds.filter(
      (seed) => !isUnique(drawPuzzle(seed, { size: 4, empty: 0.6, puzzles: 'any' }).given, geometry),
    );
    expect(several.length).toBeGreaterThan(40);
  });

  it('are counted by the search as by the plain one', () => {
    const stream = createStream(3);
    const geometry = geometryOf(4);
    for (let round = 0; round < 100; round++) {
      const { given } = drawPuzzle(stream.word(), { size: 4, empty: 0.7, puzzles: 'any' });
      const { solutions, isExhausted } = findSolutions(given, geometry, { limit: 1000 });
      expect(isExhausted).toBe(true);
      expect(solutions).toHaveLength(countPlainly(given, 4, 1000));
    }
  });

  it('of size 4 are 288 full grids', () => {
    const nothing = new Uint8Array(16);
    expect(findSolutions(nothing, geometryOf(4), { limit: 1000 }).solutions).toHaveLength(288);
  });
});

describe('the oracle', () => {
  it('solves from wherever it has a plan, replacing wrong numbers', async () => {
    let planned = 0;
    let stuck = 0;
    for (let seed = 0; seed < 100; seed++) {
      const instance = sudoku.create(sudoku.params.parse({ size: 4, empty: 0.6 }));
      await instance.reset({ state: seed, noise: 0 });
      for (let step = 0; step < 6; step++) await instance.step(instance.sampleAction!(100 * seed + step));
      if ((instance.facts!() as { wrong: number }).wrong === 0) continue;
      const plan = instance.oracle!();
      let last: unknown;
      for (const action of plan) last = await instance.step(action);
      if (plan.length === 0) stuck++;
      else planned++;
      if (plan.length > 0) expect(last).toMatchObject({ done: true, success: true });
    }
    expect([planned > 20, stuck > 5]).toEqual([true, true]);
  });

  it('explains by what is taken, or by the only place, after a copy of a small grid', () => {
    const instance = start('1.34', '3.12', '2143', '4321');
    expect(instance.explain!(['1,2,2'])).toBe(
      'row 1: 1 . 3 4, row 2: 3 . 1 2, row 3: 2 1 4 3, row 4: 4 3 2 1. row 1 col 2: row 1 3 4, col 1 3, box 1 3, so 2.',
    );
    const hidden = start('....', '..1.', '....', '1...');
    expect(hidden.explain!(['1,2,1'])).toMatch(/row 4: 1 \. \. \.\. row 1: 1 fits only at row 1 col 2\.$/);
  });
});

describe('readPlacement', () => {
  it('reads every form, with or without spaces and capitals', () => {
    const expected = { cell: 9 + 4, value: 7 };
    for (const text of [
      '2,5,7',
      ' 2, 5 ,7',
      '2 5 7',
      'Place 7 at row 2 col 5',
      'place 7 at row 2, column 5',
      'place 7 at (2,5)',
      'place 7 at 2,5',
      '7 at 2, 5',
      '7 at (2,5)',
      '(2,5,7)',
    ])
      expect(readPlacement(text, geometryOf(9)), text).toEqual(expected);
  });
});
