/**
 * @file Frozen lakes by seed, bit-equal to the reference (RAGEN and RAGEN-2 draw alike): NumPy's PCG64, row-major cells,
 * random start and goal, rejected until a path exists. Checked against test/golden/frozen-lake.
 */
import { NumpyGenerator } from '@espalier/plugin-kit';

/** A lake; cells are numbered row by row. */
export interface LakeMap {
  readonly size: number;
  readonly start: number;
  readonly goal: number;
  /** 1 where there is a hole */
  readonly holes: Uint8Array; // [size²]
}

/** Steps of the four actions as [row, column], in the order of {@link actionNames}. */
export const directions = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

export const actionNames = ['Left', 'Down', 'Right', 'Up'] as const;

/** The cell one step further, or the same cell at the border. */
export function neighbour(cell: number, direction: number, size: number): number {
  const [down, right] = directions[direction & 3]!;
  const row = Math.floor(cell / size) + down;
  const column = (cell % size) + right;
  return row < 0 || column < 0 || row >= size || column >= size ? cell : row * size + column;
}

/**
 * Draws the lake of a seed.
 *
 * @param seed integer in 0..2^32-1
 * @param size cells per side, ≥ 2
 * @param frozen probability that a cell is frozen, in (0, 1]
 */
export function createMap(seed: number, size: number, frozen: number): LakeMap {
  const random = new NumpyGenerator(seed);
  const threshold = frozen / (frozen + (1 - frozen));
  for (;;) {
    const holes = new Uint8Array(size * size);
    for (let cell = 0; cell < holes.length; cell++) holes[cell] = random.random() < threshold ? 0 : 1;
    const start = random.integer(size) * size + random.integer(size);
    const goal = random.integer(size) * size + random.integer(size);
    if (start === goal) continue;
    holes[start] = 0;
    holes[goal] = 0;
    const map = { size, start, goal, holes };
    if (distances(map)[start]! >= 0) return map;
  }
}

/** Steps from every cell to the goal over safe cells; -1 where there is no way. */
export function distances(map: LakeMap): Int32Array {
  const steps = new Int32Array(map.holes.length).fill(-1); // [size²]
  steps[map.goal] = 0;
  const queue = [map.goal];
  for (let next = 0; next < queue.length; next++) {
    const cell = queue[next]!;
    for (let direction = 0; direction < 4; direction++) {
      const other = neighbour(cell, direction, map.size);
      if (steps[other]! >= 0 || map.holes[other] === 1) continue;
      steps[other] = steps[cell]! + 1;
      queue.push(other);
    }
  }
  return steps;
}
