import { expect, it } from 'vitest';
import { addLines, kept, type Line, read, shownLines } from './log-lines.js';

const line = (cursor: number, attempt = 1): Line => ({ cursor, attempt, text: `line ${cursor}` });
const linesFrom = (first: number, count: number): Line[] =>
  Array.from({ length: count }, (_, at) => line(first + at));
const all = { text: '', attempt: undefined };

/** Pushes lines to those that were pushed. */
const push = (old: readonly Line[], lines: readonly Line[]): readonly Line[] =>
  addLines(
    old,
    lines.map(({ cursor, attempt, text }) => ({ cursor, attempt, body: { line: text } })),
  );

it('says that lines are the newest when a log that was read whole has grown beyond what is kept', () => {
  const found = linesFrom(1, 3);
  const some = push([], linesFrom(4, kept - 4));
  expect(shownLines(found, some, all)).toMatchObject({ isCut: false, lines: { length: kept - 1 } });
  const more = push(some, linesFrom(kept, 2));
  const { lines, isCut } = shownLines(found, more, all);
  expect([isCut, lines.length, lines[0]?.cursor, lines.at(-1)?.cursor]).toEqual([true, kept, 2, kept + 1]);
  // lines that fitted may be among those that are gone
  expect(shownLines([], push(more, linesFrom(kept + 2, 10)), { text: 'line 2000', attempt: 1 })).toEqual({
    lines: [line(2000)],
    isCut: true,
  });
});

it('says so when as many were found as are read, and takes no line twice', () => {
  const found = linesFrom(1, read);
  expect(shownLines(found, push([], linesFrom(read, 2)), all)).toEqual({
    lines: linesFrom(1, read + 1),
    isCut: true,
  });
  const added = [line(read + 1), line(read + 2, 2)];
  const { lines } = shownLines(found, added, { text: 'line', attempt: 2 });
  expect(lines.at(-1)).toEqual(line(read + 2, 2));
  expect(lines).toHaveLength(read + 1);
  expect(push(added, [line(read + 2, 2)])).toBe(added);
});
