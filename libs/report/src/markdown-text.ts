/** @file Text as Markdown that stays text: nothing in it is markup, a link or HTML. */
import { toVisible } from '@espalier/contracts/visible-text';

const inLine = (text: string): string => toVisible(text).replaceAll(/\n+/g, ' ');

/** Escapes text for a line of Markdown. */
export const escapeMarkdown = (text: string): string =>
  inLine(text)
    .replaceAll(/[\\`*~[\]<]|&(?=#?\w{1,32};)/g, String.raw`\$&`)
    .replaceAll(/(?<!\w)_|_(?!\w)/g, String.raw`\_`);

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

/** Text as code within a line. */
export function quoteCode(text: string): string {
  const shown = inLine(text);
  const fence = '`'.repeat(longestRun(shown) + 1);
  const space = /^[` ]|[` ]$/.test(shown) || shown === '' ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Text as a block of code. */
export function fenceCode(text: string): string {
  const shown = toVisible(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}\n${shown}\n${fence}`;
}
