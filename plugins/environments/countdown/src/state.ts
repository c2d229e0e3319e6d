/** @file What both variants of Countdown show, and where their puzzles come from. */
import { AppError } from '@espalier/plugin-kit';
import { drawNumbers, drawPuzzle } from './drawing.js';
import type { Puzzle, PuzzleOptions } from './puzzle.js';

/** The state in RAGEN's words. */
export function stateText({ numbers, target }: Pick<Puzzle, 'numbers' | 'target'>): string {
  let text = `Target: ${target}, nums: [${numbers[0]}`;
  for (let place = 1; place < numbers.length; place++) text += `, ${numbers[place]}`;
  return `${text}]`;
}

/** The puzzle of a seed. @throws plugin.failed where the options leave almost none */
export function puzzleOf(seed: number, options: PuzzleOptions): Puzzle {
  return drawPuzzle(seed, options) ?? failToDraw(options);
}

/** The puzzle of a seed without its solution. @throws plugin.failed where the options leave almost none */
export function numbersOf(seed: number, options: PuzzleOptions): Omit<Puzzle, 'solution'> {
  return drawNumbers(seed, options) ?? failToDraw(options);
}

function failToDraw({ target }: PuzzleOptions): never {
  throw new AppError(
    'plugin.failed',
    `reset: found no puzzle with a target in ${target.join('..')}; widen \`target\` or raise \`highest\``,
  );
}

/** Whether some of the first seeds have a puzzle that is found soon. */
export function hasPuzzles(options: PuzzleOptions): boolean {
  return Array.from({ length: 8 }, (_, seed) => drawPuzzle(seed, options, 2000)).every(
    (puzzle) => puzzle !== undefined,
  );
}
