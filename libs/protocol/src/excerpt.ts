/** @file A long message in short. */

/**
 * Shortens a message of one or more lines, marking the cut. Its first line says most; what is left of the width goes to
 * the end of the rest, where a process that died has said why.
 *
 * @param width characters at most
 */
export function excerpt(message: string, width: number): string {
  const text = message.trim();
  const characters = [...text];
  if (characters.length <= width) return text;
  const end = text.indexOf('\n');
  const first = end < 0 ? characters : [...text.slice(0, end)];
  const left = width - first.length - gap.length;
  if (left < width / 4) return `${first.slice(0, width - 1).join('')}…`;
  return `${first.join('')}${gap}${characters.slice(-left).join('').trimStart()}`;
}

const gap = '\n… ';
