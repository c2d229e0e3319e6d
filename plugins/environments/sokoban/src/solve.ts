/**
 * @file Shortest plans by breadth-first search, and squares from which a box can never reach a target.
 */
import { cells, cellsWith, type Level, offsets } from './level.js';

const SEARCH_LIMIT = 400_000;

/** Squares from which no push sequence of a lone box reaches a target; walls count as dead. */
export function deadSquares(level: Level): Uint8Array {
  const dead = new Uint8Array(level.fixed.length).fill(1); // [rows · columns]
  const queue = cellsWith(level.fixed, cells.target);
  for (const target of queue) dead[target] = 0;
  const isOpen = (cell: number): boolean => (level.fixed[cell] ?? cells.wall) !== cells.wall;
  for (let next = 0; next < queue.length; next++) {
    for (const offset of offsets(level.columns)) {
      const from = queue[next]! + offset; // pulled from the queue's square to here, the player one further
      if (dead[from] === 0 || !isOpen(from) || !isOpen(from + offset)) continue;
      dead[from] = 0;
      queue.push(from);
    }
  }
  return dead;
}

/** A shortest plan to all boxes on targets; empty when there is none or the search is too large. */
export function solve(level: Level, dead: Uint8Array = deadSquares(level)): number[] {
  const { fixed, state, columns } = level;
  const steps = offsets(columns);
  const size = fixed.length;
  const isTarget = (cell: number): boolean => fixed[cell] === cells.target;
  const first = {
    player: cellsWith(state, cells.player)[0]!,
    boxes: cellsWith(state, cells.box, cells.boxOnTarget),
    parent: -1,
    action: -1,
  };
  const nodes = [first];
  const key = (player: number, boxes: readonly number[]): number | string =>
    boxes.length <= 4 ? boxes.reduce((sum, box) => sum * size + box, player) : `${player}:${boxes.join()}`;
  const seen = new Set<number | string>([key(first.player, first.boxes)]);
  for (let index = 0; index < nodes.length && nodes.length < SEARCH_LIMIT; index++) {
    const { player, boxes } = nodes[index]!;
    if (boxes.every(isTarget)) return pathTo(nodes, index);
    for (let action = 0; action < 4; action++) {
      const next = player + steps[action]!;
      if (fixed[next] === cells.wall) continue;
      const box = boxes.indexOf(next);
      let after = boxes;
      if (box >= 0) {
        const beyond = next + steps[action]!;
        if (dead[beyond] === 1 || boxes.includes(beyond)) continue;
        after = boxes.with(box, beyond);
        if (boxes.length > 1) after.sort((a, b) => a - b);
      }
      const id = key(next, after);
      if (seen.has(id)) continue;
      seen.add(id);
      nodes.push({ player: next, boxes: after, parent: index, action });
    }
  }
  return [];
}

function pathTo(nodes: readonly { parent: number; action: number }[], end: number): number[] {
  const path: number[] = [];
  for (let node = nodes[end]!; node.parent >= 0; node = nodes[node.parent]!) path.push(node.action);
  return path.reverse();
}
