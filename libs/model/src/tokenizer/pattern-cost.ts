/**
 * @file Regular expressions of tokenizer files, judged before they run. A repeated group that can itself match in
 * several ways costs exponential time on the wrong text, and a row of open repetitions a high power of its length; no
 * pattern of a published tokenizer needs either. What stays possible is quadratic time per piece of text.
 */

/** Most open repetitions (`*`, `+`, `{n,}`) in one row of a pattern. */
const maxOpenInRow = 2;

interface Group {
  /** an alternative, or a repetition that may take several counts */
  ambiguous: boolean;
  /** open repetitions in the present alternative, and the most in any */
  open: number;
  mostOpen: number;
}

const newGroup = (): Group => ({ ambiguous: false, open: 0, mostOpen: 0 });

/** Finds why a pattern may take more than quadratic time; undefined when it cannot. */
export function findCostlyPart(pattern: string): string | undefined {
  const groups: Group[] = [newGroup()];
  let closed: Group | undefined;
  for (let at = 0; at < pattern.length; at++) {
    const top = groups.at(-1) as Group;
    const sign = pattern[at] as string;
    const repetition = readRepetition(pattern, at);
    if (repetition !== undefined) {
      const { open, isFixed, isRepeated, length } = repetition;
      if (closed?.ambiguous === true && isRepeated) return 'a repeated group that can match in several ways';
      if (!isFixed) top.ambiguous = true;
      if (open) top.mostOpen = Math.max(top.mostOpen, ++top.open);
      if (top.mostOpen > maxOpenInRow) return `more than ${maxOpenInRow} open repetitions in a row`;
      at += length - 1;
      closed = undefined;
      continue;
    }
    closed = undefined;
    if (sign === '\\') at += 1;
    else if (sign === '[') at = endOfClass(pattern, at);
    else if (sign === '(') {
      groups.push(newGroup());
      at = endOfGroupHead(pattern, at);
    } else if (sign === '|') Object.assign(top, { ambiguous: true, open: 0 });
    else if (sign === ')' && groups.length > 1) {
      closed = groups.pop() as Group;
      const above = groups.at(-1) as Group;
      if (closed.ambiguous) above.ambiguous = true;
      above.open += closed.mostOpen;
      above.mostOpen = Math.max(above.mostOpen, above.open);
      if (above.mostOpen > maxOpenInRow) return `more than ${maxOpenInRow} open repetitions in a row`;
    }
  }
  return undefined;
}

interface Repetition {
  /** without an upper end, or with one so high that it makes no difference */
  readonly open: boolean;
  /** always the same count */
  readonly isFixed: boolean;
  /** may take place more than once */
  readonly isRepeated: boolean;
  readonly length: number;
}

function readRepetition(pattern: string, at: number): Repetition | undefined {
  const text = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})[?+]?/.exec(pattern.slice(at, at + 24));
  if (text === null) return undefined;
  const [whole, low, comma, high] = text;
  const length = whole.length;
  if (whole.startsWith('?')) return { open: false, isFixed: false, isRepeated: false, length };
  if (low === undefined) return { open: true, isFixed: false, isRepeated: true, length };
  const most = comma === undefined ? Number(low) : high === '' ? Infinity : Number(high);
  return {
    open: most > 64 && comma !== undefined,
    isFixed: Number(low) === most,
    isRepeated: most > 1,
    length,
  };
}

function endOfClass(pattern: string, at: number): number {
  let end = at + 1;
  if (pattern[end] === '^') end += 1;
  for (; end < pattern.length && pattern[end] !== ']'; end++) if (pattern[end] === '\\') end += 1;
  return end;
}

function endOfGroupHead(pattern: string, at: number): number {
  const head = /^\(\?(?:<?[=!]|[a-z-]*:|<[^>]*>)/i.exec(pattern.slice(at, at + 40));
  return head === null ? at : at + head[0].length - 1;
}
