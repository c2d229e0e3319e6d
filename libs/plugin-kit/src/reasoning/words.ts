/** @file The words of a piece of text, with their places. */
import type { TextRange } from './think-block.js';

export interface Word extends TextRange {
  /** in lower case */
  readonly text: string;
}

/**
 * The words and numbers of a text in lower case, at their places behind `offset`; signs and tags are left out. Scripts
 * without spaces give a word per character, and a word of more than 20 characters is several.
 */
export function wordsOf(text: string, offset = 0): Word[] {
  const blank = text.replace(/<\/?[a-z]{1,20}>/g, (tag) => ' '.repeat(tag.length));
  return Array.from(
    blank.matchAll(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]{1,20}/gu,
    ),
    ({ 0: found, index }) => ({
      text: found.toLowerCase(),
      start: offset + index,
      end: offset + index + found.length,
    }),
  );
}
