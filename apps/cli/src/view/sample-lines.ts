import type { Trajectory } from '@espalier/contracts';
import type { Console } from '../console.js';
import { cut, short } from './numbers.js';

/**
 * Writes the last turn of a trajectory: the state as people see it, the thought, the answer, what it earned.
 * Control characters of model text are shown as spaces, never sent to the terminal.
 */
export function drawSample(
  trajectory: Trajectory,
  width: number,
  rows: number,
  colors: Console['colors'],
): string[] {
  const turn = trajectory.turns.at(-1);
  if (turn === undefined) return [];
  const legend = `sample ${trajectory.id}, turn ${turn.index + 1} of ${trajectory.turns.length}`;
  const picture = (turn.render === '' ? turn.observation : turn.render)
    .split('\n')
    .map((line) => clean(line));
  const text = [
    ...(turn.think === '' ? [] : [`${colors.dim('think ')} ${cut(clean(turn.think), width - 8)}`]),
    `${colors.dim('answer')} ${cut(clean(turn.answer === '' ? turn.response : turn.answer), width - 8)}`,
    `${colors.dim('reward')} ${short(turn.reward)}${turn.formatValid ? '' : '  (invalid format)'}  ${colors.dim('ended by')} ${trajectory.stopReason}`,
  ];
  const room = Math.max(0, rows - text.length - 1);
  return [
    colors.dim(cut(legend, width)),
    ...picture.slice(0, room).map((line) => `  ${cut(line, width - 2)}`),
    ...text,
  ].slice(0, rows);
}

/** Replaces everything a terminal could obey. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trimEnd();
}
