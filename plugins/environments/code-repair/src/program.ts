/** @file Programs as lines: the two actions on them, and the smallest change from one to another. */

/** Most characters of a program, and of an action. */
export const maxProgram = 20_000;

export type ProgramAction =
  | { readonly kind: 'submit'; readonly program: string }
  /** lines counted from 1; both are replaced, and what is between */
  | { readonly kind: 'edit'; readonly from: number; readonly to: number; readonly lines: readonly string[] };

/** Reads an action; undefined where the text is none. Reads no more of a long text than it has to. */
export function parseAction(text: string): ProgramAction | undefined {
  if (text.length > maxProgram) return undefined;
  const trimmed = text.trim();
  const end = trimmed.indexOf('\n');
  const head = (end < 0 ? trimmed : trimmed.slice(0, end)).trim();
  if (head.length > 40) return undefined;
  const body = end < 0 ? undefined : withoutFence(trimmed.slice(end + 1).replaceAll('\r\n', '\n'));
  if (/^submit:?$/i.test(head)) return body === undefined ? undefined : { kind: 'submit', program: body };
  const found = /^edit\s+(\d{1,5})(?:\s*-\s*(\d{1,5}))?:?$/i.exec(head);
  if (found === null) return undefined;
  const from = Number(found[1]);
  return { kind: 'edit', from, to: Number(found[2] ?? from), lines: body?.split('\n') ?? [] };
}

/** What stands between the marks of a code block, if it is one. */
function withoutFence(text: string): string {
  const lines = text.split('\n');
  if (!/^\s*```\w*\s*$/.test(lines[0] ?? '')) return text;
  const last = lines.findLastIndex((line) => line.trim() === '```');
  return lines.slice(1, last > 0 ? last : undefined).join('\n');
}

/** The program after an action; undefined where its lines do not exist or it becomes too long. */
export function applyAction(program: string, action: ProgramAction): string | undefined {
  if (action.kind === 'submit') return action.program;
  const lines = program.split('\n');
  const { from, to } = action;
  if (from < 1 || to < from || to > lines.length) return undefined;
  const changed = [...lines.slice(0, from - 1), ...action.lines, ...lines.slice(to)].join('\n');
  return changed.length > maxProgram ? undefined : changed;
}

/** The edit that makes one program of another with the fewest lines; undefined where they are equal. */
export function smallestEdit(program: string, wanted: string): string | undefined {
  if (program === wanted) return undefined;
  const [before, after] = [program.split('\n'), wanted.split('\n')];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  // an edit replaces at least one line, so a mere insertion takes a neighbour along
  if (start + end === before.length) {
    if (start > 0) start--;
    else end--;
  }
  const [from, to] = [start + 1, before.length - end];
  const lines = after.slice(start, after.length - end);
  return [from === to ? `edit ${from}` : `edit ${from}-${to}`, ...lines].join('\n');
}

/** A program with the numbers of its lines. */
export function numbered(program: string): string[] {
  const lines = program.split('\n');
  const width = String(lines.length).length;
  return lines.map((line, place) => `${String(place + 1).padStart(width)} | ${line}`);
}
