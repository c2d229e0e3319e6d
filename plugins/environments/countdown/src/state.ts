/** @file What both variants of Countdown show, and where their puzzles come from. */
import { AppError } from '@espalier/plugin-kit';
import { drawPuzzle, type Puzzle, type PuzzleOptions } from './puzzle.js';

/** The state in RAGEN's words. */
export function stateText({ numbers, target }: Pick<Puzzle, 'numbers' | 'target'>): string {
  return `Target: ${target}, nums: [${numbers.join(', ')}]`;
}

/** The puzzle of a seed. @throws plugin.failed where the options leave almost none */
export function puzzleOf(seed: number, options: PuzzleOptions): Puzzle {
  const puzzle = drawPuzzle(seed, options);
  if (puzzle !== undefined) return puzzle;
  throw new AppError(
    'plugin.failed',
    `reset: found no puzzle with a target in ${options.target.join('..')}; widen \`target\` or raise \`highest\``,
  );
}

/** Whether some of the first seeds have a puzzle that is found soon. */
export function hasPuzzles(options: PuzzleOptions): boolean {
  return Array.from({ length: 8 }, (_, seed) => drawPuzzle(seed, options, 2000)).every(
    (puzzle) => puzzle !== undefined,
  );
}
