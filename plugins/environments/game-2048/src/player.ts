/**
 * @file A player that looks at the board alone: large tiles along a snake from a corner, two moves ahead. The oracle lets
 * it play on a copy of the game.
 */
import { type Board, emptyCells, slide } from './board.js';

const lost = -1e9;

/** The direction it would choose; -1 where nothing moves. */
export function chooseDirection(board: Board, size: number): number {
  let best = -1;
  let bestWorth = -Infinity;
  for (const direction of [2, 3, 1, 0]) {
    const { board: next, gained, moved } = slide(board, size, direction);
    if (!moved) continue;
    const worth = gained + expectedWorth(next, size);
    if (worth > bestWorth) {
      best = direction;
      bestWorth = worth;
    }
  }
  return best;
}

/** The mean over new tiles of value 2 of what the best answer is worth. */
function expectedWorth(board: Board, size: number): number {
  const empty = emptyCells(board);
  let total = 0;
  for (const cell of empty) {
    const spawned = board.with(cell, 2);
    let best = lost;
    for (const direction of [0, 1, 2, 3]) {
      const { board: next, gained, moved } = slide(spawned, size, direction);
      if (moved) best = Math.max(best, gained + worthOf(next, size));
    }
    total += best;
  }
  return total / empty.length;
}

/** Tiles weighted along a snake from the lower left corner. */
function worthOf(board: Board, size: number): number {
  let worth = 0;
  let weight = 1;
  for (let row = size - 1; row >= 0; row--) {
    for (let place = 0; place < size; place++) {
      const column = (size - 1 - row) % 2 === 0 ? place : size - 1 - place;
      worth += board[row * size + column]! * weight;
      weight *= 0.6;
    }
  }
  return worth;
}
