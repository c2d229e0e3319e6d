/**
 * @file Where the text of each token of a reply ends, so that rewards can say which tokens a part of the text is. Tokens
 * that share a character, as the bytes of an emoji do, are decoded together: all but the last end where it begins.
 */
import type { Tokenizer } from '@espalier/contracts';
import { decodePiece } from './chat-frame.js';

/** More tokens than this never share a character; what follows is text that no decoding makes whole. */
const longestGroup = 8;

/** Finds the character at which each token ends, in the text that all of them decode to behind `previous`. */
export function findTextEnds(
  tokenizer: Tokenizer,
  tokens: Int32Array,
  previous: number | undefined,
): Int32Array {
  const text = decodePiece(tokenizer, tokens, previous);
  const ends = new Int32Array(tokens.length);
  let at = 0;
  let from = 0;
  let before = previous;
  for (let index = 0; index < tokens.length; index++) {
    const piece = decodePiece(tokenizer, tokens.subarray(from, index + 1), before);
    const isWhole = text.startsWith(piece, at) && !piece.endsWith('\uFFFD');
    const isLast = index === tokens.length - 1;
    if (isWhole || index - from + 1 >= longestGroup) {
      at = Math.min(text.length, at + piece.length);
      from = index + 1;
      before = tokens[index];
    }
    ends[index] = isLast ? text.length : at;
  }
  return ends;
}

/** Counts the tokens of a reply up to the one that completes `</think>`; undefined where none does. */
export function countThinkTokens(text: string, ends: Int32Array): number | undefined {
  const at = text.indexOf('</think>');
  return at < 0 ? undefined : 1 + ends.findIndex((end) => end >= at + '</think>'.length);
}
