import type { Trajectory, Turn } from '@espalier/contracts';
import { clean, type Console } from '../console.js';
import { cut, short } from './numbers.js';

type Colors = Console['colors'];

/**
 * Writes the last turns of a trajectory, as many as fit, in the order they were played: the state as people see it,
 * the thought, the answer, what it earned. Control characters of model text are shown as spaces, never sent to the
 * terminal.
 */
export function drawSample(trajectory: Trajectory, width: number, rows: number, colors: Colors): string[] {
  const { turns } = trajectory;
  const last = turns.at(-1);
  if (last === undefined) return [];
  let first = last.index;
  let lines = drawTurn(last, width, rows - 1, colors);
  for (const turn of turns.slice(0, -1).reverse()) {
    const block = drawTurn(turn, width, Number.POSITIVE_INFINITY, colors);
    if (1 + block.length + 1 + lines.length > rows) break;
    lines = [...block, '', ...lines];
    first = turn.index;
  }
  const shown = first === last.index ? `turn ${last.index + 1}` : `turns ${first + 1} to ${last.index + 1}`;
  const legend = `sample ${trajectory.id}, ${shown} of ${turns.length}, ended by ${trajectory.stopReason}`;
  return [colors.dim(cut(legend, width)), ...lines].slice(0, rows);
}

/** One turn in at most `rows` lines; the picture gives way first. */
function drawTurn(turn: Turn, width: number, rows: number, colors: Colors): string[] {
  const said = (label: string, text: string): string => `${colors.dim(label)} ${cut(clean(text), width - 8)}`;
  const text = [
    ...(isPlainReply(turn)
      ? [...(turn.think === '' ? [] : [said('think ', turn.think)]), said('answer', turn.answer)]
      : [said('reply ', turn.response)]),
    `${colors.dim('reward')} ${short(turn.reward)}${turn.formatValid ? '' : '  (invalid format)'}`,
  ];
  const picture = (turn.render === '' ? turn.observation : turn.render).trimEnd().split('\n');
  return [
    ...picture.slice(0, Math.max(0, rows - text.length)).map((line) => `  ${cut(clean(line), width - 2)}`),
    ...text,
  ];
}

/** Tells whether a reply is just `<think>…</think><answer>…</answer>`, so that its parts say all of it. */
function isPlainReply({ response, think, answer }: Turn): boolean {
  const bare = (text: string): string => text.replace(/\s+/g, '');
  const thought = think === '' ? '' : `<think>${think}</think>`;
  return answer !== '' && bare(response) === bare(`${thought}<answer>${answer}</answer>`);
}
