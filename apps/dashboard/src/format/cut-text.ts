/** @file Long texts in pieces that a screen can draw. Pure functions. */

/**
 * Cuts a text into pieces of about `size` characters that make it up again: after a line where one ends in the second half of
 * a piece, else anywhere but within a character of two units.
 */
export function cutText(text: string, size: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > size) {
    const line = text.lastIndexOf('\n', start + size - 1) + 1;
    const end = line > start + size / 2 ? line : start + size - (isHighHalf(text, start + size - 1) ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

const isHighHalf = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00;
};
