import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { isSolved, solvedCube, turn, turnNames } from './cube.js';
import rubik from './index.js';
import { scrambledCube } from './rubik.js';
import { solve } from './solve.js';

testEnvironment(rubik, { oracleSolves: 1 });
testEnvironment(rubik, { params: { scramble: 1, observation: 'faces' }, oracleSolves: 1 });
testEnvironment(rubik, { params: { scramble: 4, distance: 'exact' }, oracleSolves: 1 });

const turned = (cube: string, names: string): string =>
  names.split(' ').reduce(
    (state, name) =>
      turn(
        state,
        turnNames.findIndex((other) => other === name),
      ),
    cube,
  );

describe('turns', () => {
  it('give the cubes of physical turns written as cycles by hand, after scrambles drawn by NumPy', () => {
    const file = join(goldenFolder('rubik'), 'scrambles.json');
    const golden = JSON.parse(readFileSync(file, 'utf8')) as {
      seed: number;
      depth: number;
      turns: string;
      cube: string;
    }[];
    for (const { seed, depth, turns, cube } of golden) {
      expect(turned(solvedCube, turns)).toBe(cube);
      expect(scrambledCube(seed, { scramble: depth, distance: 'random' })).toBe(cube);
    }
    expect(golden).toHaveLength(52);
  });

  it('are undone by their inverse, and by three more', () => {
    const cube = scrambledCube(7, { scramble: 20, distance: 'random' });
    for (const name of ['U', 'D', 'L', 'R', 'F', 'B']) {
      expect(turned(cube, `${name} ${name}'`)).toBe(cube);
      expect(turned(cube, `${name} ${name} ${name}`)).toBe(turned(cube, `${name}'`));
    }
  });

  it('of opposite faces against each other turn the whole cube', () => {
    expect(isSolved(turned(solvedCube, "U D'"))).toBe(true);
    expect(turned(solvedCube, "U D'")).not.toBe(solvedCube);
    expect(isSolved(turned(solvedCube, 'U D'))).toBe(false);
  });

  it.each([
    ['R U', 15],
    ["R U R' U'", 6],
  ])('%s brings the cube back after %d times', (names, expected) => {
    let cube = turned(solvedCube, names);
    let order = 1;
    for (; cube !== solvedCube; order++) cube = turned(cube, names);
    expect(order).toBe(expected);
  });
});

describe('the whole space', () => {
  const quarter = ['U', "U'", 'R', "R'", 'F', "F'"];

  it('has 3,674,160 states, at most 14 quarter turns away', () => {
    expect(countsByDistance(quarter)).toEqual([
      1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276,
    ]);
  }, 60_000);

  it('has them at most 11 turns away where a half turn is one', () => {
    expect(countsByDistance([...quarter, 'U U', 'R R', 'F F'])).toEqual([
      1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644,
    ]);
  }, 60_000);

  it('is solved on a shortest way from every cube up to 3 turns of any face away', () => {
    const whole = new Set([solvedCube]);
    for (const cube of whole)
      for (const rotation of ["U D'", "R L'", "F B'"]) whole.add(turned(cube, rotation));
    expect(whole.size).toBe(24);
    const distances = new Map([...whole].map((cube) => [cube, 0]));
    for (const [cube, distance] of distances) {
      if (distance < 3)
        for (const [number] of turnNames.entries()) {
          const next = turn(cube, number);
          if (!distances.has(next)) distances.set(next, distance + 1);
        }
      const plan = solve(cube);
      expect([plan.length, isSolved(plan.reduce(turn, cube))]).toEqual([distance, true]);
    }
    expect(distances.size).toBe(24 * (1 + 6 + 27 + 120));
  }, 60_000);

  it('is solved within 14 turns after long scrambles', () => {
    for (let seed = 0; seed < 10; seed++) {
      const cube = scrambledCube(seed, { scramble: 60, distance: 'random' });
      const plan = solve(cube);
      expect(plan.length).toBeLessThanOrEqual(14);
      expect(isSolved(plan.reduce(turn, cube))).toBe(true);
    }
  }, 60_000);
});

describe('a cube', () => {
  it('pays 1 when it is solved, and ends', async () => {
    const instance = rubik.create(rubik.params.parse({}));
    instance.restore!(turned(solvedCube, 'R U'));
    expect(await instance.step("U'")).toMatchObject({ reward: 0, done: false, effective: true });
    expect(await instance.step("R'")).toMatchObject({ reward: 1, done: true, success: true });
    expect(instance.render()).toBe('    W W\n    W W\nO O G G R R B B\nO O G G R R B B\n    Y Y\n    Y Y');
  });

  it('that a scramble left solved is turned away and back', async () => {
    const instance = rubik.create(rubik.params.parse({}));
    instance.restore!(solvedCube);
    const [away, back] = instance.oracle!();
    expect(await instance.step(away!)).toMatchObject({ done: false });
    expect(await instance.step(back!)).toMatchObject({ done: true, success: true });
  });

  it('is exactly as far away as asked for', () => {
    for (let seed = 0; seed < 10; seed++)
      expect(solve(scrambledCube(seed, { scramble: 6, distance: 'exact' }))).toHaveLength(6);
  });

  it('refuses distances that random turns do not reach, and unknown turns', () => {
    expect(() => rubik.params.parse({ scramble: 9, distance: 'exact' })).toThrow(/at most 8/);
    expect(() => rubik.create(rubik.params.parse({})).step('X')).toThrow(/"X" is not an action/);
  });
});

/** The seven corners beside the held one, clockwise from the sticker on U or D. */
const corners = [
  [0, 4, 17],
  [1, 16, 13],
  [2, 8, 5],
  [3, 12, 9],
  [20, 7, 10],
  [21, 11, 14],
  [23, 15, 18],
];

/** Which corner comes to each place, and how far it is twisted there. */
function effectOf(names: string): { from: number[]; twist: number[] } {
  const letters = 'abcdefghijklmnopqrstuvwx';
  const after = turned(letters, names);
  const firsts = corners.map(([place]) => letters.indexOf(after[place!]!));
  const from = firsts.map((first) => corners.findIndex((stickers) => stickers.includes(first)));
  return { from, twist: firsts.map((first, place) => corners[from[place]!]!.indexOf(first)) };
}

/** How many states lie at each distance: breadth-first over permutations and twists of the seven corners. */
function countsByDistance(moves: readonly string[]): number[] {
  const effects = moves.map(effectOf);
  const permutations = permutationsOf(7);
  const indexOf = new Map(permutations.map((order, index) => [order.join(''), index]));
  const permutationMoves = effects.map(({ from }) =>
    Int32Array.from(permutations, (order) => indexOf.get(from.map((place) => order[place]).join(''))!),
  );
  const twistMoves = effects.map(({ from, twist }) =>
    Int32Array.from({ length: 729 }, (_, index) => {
      const twists = twistsOf(index);
      return [0, 1, 2, 3, 4, 5].reduce(
        (sum, place) => sum + ((twists[from[place]!]! + twist[place]!) % 3) * 3 ** place,
        0,
      );
    }),
  );
  const seen = new Uint8Array(5040 * 729);
  let front = [indexOf.get('0123456')! * 729];
  seen[front[0]!] = 1;
  const counts: number[] = [];
  while (front.length > 0) {
    counts.push(front.length);
    const next: number[] = [];
    for (const state of front) {
      for (const [move, table] of permutationMoves.entries()) {
        const to = table[Math.floor(state / 729)]! * 729 + twistMoves[move]![state % 729]!;
        if (seen[to] === 1) continue;
        seen[to] = 1;
        next.push(to);
      }
    }
    front = next;
  }
  return counts;
}

/** Twists of seven corners, whose sum is a multiple of 3. */
function twistsOf(index: number): number[] {
  const six = Array.from({ length: 6 }, (_, place) => Math.floor(index / 3 ** place) % 3);
  return [...six, (18 - six.reduce((sum, twist) => sum + twist, 0)) % 3];
}

function permutationsOf(count: number): number[][] {
  if (count === 0) return [[]];
  return permutationsOf(count - 1).flatMap((shorter) =>
    Array.from({ length: count }, (_, place) => [
      ...shorter.slice(0, place),
      count - 1,
      ...shorter.slice(place),
    ]),
  );
}
