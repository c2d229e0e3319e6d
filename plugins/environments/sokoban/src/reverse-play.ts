/**
 * @file The second half of level generation: boxes start on their targets and are pulled away, depth first, and the
 * farthest position found becomes the level. The order of the search and its quirks (a position's score depends on
 * the path it was first reached by; a box that was moved differs from one that was not) are the reference's.
 * Here moves are undone instead of grids copied, and positions are numbers instead of grids.
 */
import { cells, cellsWith, manhattan, offsets } from './level.js';

const EXPLORED_LIMIT = 300_000;
const BITMAP_LIMIT = 1 << 21;

export interface ReversePlay {
  readonly player: number;
  /** cell of the box of each target; targets in reading order */
  readonly boxes: readonly number[];
  readonly targets: readonly number[];
  /** pulls and walks that led there: 0 up, 1 down, 2 left, 3 right */
  readonly actions: readonly number[];
  /** Σ Manhattan distance of boxes from their targets; 0 = no level was found */
  readonly displacement: number;
}

interface Seen {
  /** Adds a position; false when it was known. */
  add(key: number): boolean;
}

function createSeen(positions: number): Seen {
  if (positions <= BITMAP_LIMIT) {
    const known = new Uint8Array(positions);
    return { add: (key) => known[key] === 0 && (known[key] = 1) === 1 };
  }
  const known = new Set<number>();
  return { add: (key) => known.size !== known.add(key).size };
}

/** Plays backwards from all boxes on their targets; `depth` bounds the length of a line of play. */
export function playBackwards(fixed: Uint8Array, columns: number, start: number, depth: number): ReversePlay {
  const targets = cellsWith(fixed, cells.target);
  const count = targets.length;
  const steps = offsets(columns);
  const boxAt = new Int16Array(fixed.length).fill(-1); // index of the box on a cell
  const boxes = Int32Array.from(targets);
  const moved = new Uint8Array(count);
  for (let box = 0; box < count; box++) boxAt[targets[box]!] = box;
  const codes = fixed.length * 2;
  const seen = createSeen(codes ** count * fixed.length);
  const sorted = new Float64Array(count);
  const path: number[] = [];
  let explored = 0;
  let bestScore = -1;
  let best = { player: start, boxes: [...targets], actions: [] as number[] };

  const keyOf = (player: number): number => {
    for (let box = 0; box < count; box++) {
      const code = boxes[box]! * 2 + moved[box]!;
      let place = box;
      for (; place > 0 && sorted[place - 1]! > code; place--) sorted[place] = sorted[place - 1]!;
      sorted[place] = code;
    }
    let key = player;
    for (let box = 0; box < count; box++) key = key * codes + sorted[box]!;
    return key;
  };
  const displacementOf = (cellsOfBoxes: ArrayLike<number>): number => {
    let sum = 0;
    for (let box = 0; box < count; box++) sum += manhattan(targets[box]!, cellsOfBoxes[box]!, columns);
    return sum;
  };
  const scoreOf = (player: number, swaps: number): number => {
    for (const target of targets) if (target === player || boxAt[target]! >= 0) return 0;
    return swaps * displacementOf(boxes);
  };
  const search = (player: number, swaps: number, lastPulled: number, left: number): void => {
    if (left <= 1 || explored >= EXPLORED_LIMIT || !seen.add(keyOf(player))) return;
    explored += 1;
    const score = scoreOf(player, swaps);
    if (score > bestScore) {
      bestScore = score;
      best = { player, boxes: [...boxes], actions: [...path] };
    }
    for (let action = 0; action < 4; action++) {
      const next = player + steps[action]!;
      if (fixed[next] === cells.wall || boxAt[next]! >= 0) continue; // nothing would change
      const behind = player - steps[action]!;
      const box = boxAt[behind]!;
      path.push(action);
      if (box < 0) {
        search(next, swaps, lastPulled, left - 1);
      } else {
        const wasMoved = moved[box]!;
        boxAt[behind] = -1;
        boxAt[player] = box;
        boxes[box] = player;
        moved[box] = 1;
        search(next, box === lastPulled ? swaps : swaps + 1, box, left - 1);
        boxAt[player] = -1;
        boxAt[behind] = box;
        boxes[box] = behind;
        moved[box] = wasMoved;
      }
      path.pop();
    }
  };
  search(start, 0, -1, depth);
  return { ...best, targets, displacement: displacementOf(best.boxes) };
}
