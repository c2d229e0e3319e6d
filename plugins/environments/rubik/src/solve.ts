/**
 * @file Shortest solutions in quarter turns, by a breadth-first search from both ends. The corner down, left and back is
 * held still: a turn of D, L or B is a turn of the opposite face and of the whole cube, so U, R and F reach everything.
 */
import { type Cube, isSolved, turn } from './cube.js';

/** Numbers of U, U', R, R', F, F'. */
const turns = [0, 1, 6, 7, 8, 9] as const;

/** Stickers of the corner that is held still. */
const held = { down: 22, left: 6, back: 19 } as const;
const opposite: Readonly<Record<string, string>> = { W: 'Y', Y: 'W', O: 'R', R: 'O', G: 'B', B: 'G' };

/** The solved cube that has the held corner of this one. */
function goalOf(cube: Cube): Cube {
  const [down, left, back] = [cube[held.down]!, cube[held.left]!, cube[held.back]!];
  const colors = [opposite[down]!, left, opposite[back]!, opposite[left]!, back, down];
  return colors.map((color) => color.repeat(4)).join('');
}

/** The turn that undoes a turn. */
export function inverse(number: number): number {
  return number ^ 1;
}

/**
 * Finds a shortest solution.
 *
 * @returns numbers of turns; empty for a solved cube
 */
export function solve(cube: Cube): readonly number[] {
  if (isSolved(cube)) return [];
  const goal = goalOf(cube);
  /** turns from each end to what was reached from there */
  const near = new Map<Cube, readonly number[]>([[cube, []]]);
  const far = new Map<Cube, readonly number[]>([[goal, []]]);
  let nearFront = [cube];
  let farFront = [goal];
  while (nearFront.length > 0 && farFront.length > 0) {
    const isNear = nearFront.length <= farFront.length;
    const [own, other] = isNear ? [near, far] : [far, near];
    const front: Cube[] = [];
    for (const from of isNear ? nearFront : farFront) {
      for (const number of turns) {
        const to = turn(from, number);
        if (own.has(to)) continue;
        own.set(to, [...own.get(from)!, number]);
        front.push(to);
        if (other.has(to)) return [...near.get(to)!, ...[...far.get(to)!].reverse().map(inverse)];
      }
    }
    if (isNear) nearFront = front;
    else farFront = front;
  }
  return [];
}
