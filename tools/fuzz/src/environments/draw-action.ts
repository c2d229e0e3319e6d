/** @file Draws action strings: valid ones, bent ones, and what nobody would write. */
import type { RandomStream } from '@espalier/random';
import { pickExtreme } from '../mutate.js';
import { type Grammar, splitWords } from './grammar.js';

/** Length of the longest strings, in characters. */
export const longest = 100_000;

/** Names that every object has, and those that callers look for. */
const properties = [
  '__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then', 'length',
  'name', '__defineGetter__', '__lookupSetter__', 'constructor.prototype', '["__proto__"]', '{"__proto__":{"a":1}}',
]; // prettier-ignore

/** Control characters, marks of direction, halves of pairs, letters that change length with case, digits of other scripts. */
const letters = [
  '\u0000', '\u0001', '\u0007', '\b', '\t', '\n', '\v', '\f', '\r', '\u001b', '\u001b[2J', '\u007f', '\u0085', '\u00a0',
  '\u00ad', '\u0301', '\u200b', '\u200d', '\u202e', '\u2028', '\u2029', '\u2066', '\ufeff', '\ufffd', '\uffff', '\ud800',
  '\udfff', '💥', '👩‍👩‍👧', 'é', 'é', 'İ', 'ı', 'ß', 'ﬁ', 'Ω', 'Ǆ', '٣', '７', '²', '½', '［', '；', '𝟙', '漢', 'ا',
]; // prettier-ignore

/** Marks that some parser takes for its own. */
const marks = [
  '', ' ', '  ', '||', '|', '"', "'", '`', '```', '\\', '\\"', '\\u0000', '(', ')', '[', ']', '{', '}', '<', '>', '<!--',
  '/*', '*/', '--', '//', '#', ';', ',', '.', ':', '=', '==', '%', '%s', '%00', '$', '${1}', '$&', '&', '*', '**', '?',
  '^', '+', '-', '~', '../', '<answer>', '</answer>', '<think>', '<|im_end|>', "'; DROP TABLE t; --", '(a+)+$', '\\boxed{',
]; // prettier-ignore

/** Draws one string. */
export function drawAction(
  stream: RandomStream,
  grammar: Grammar,
  valid: () => string | undefined,
  shown: () => string,
): string {
  const kind = stream.int(256);
  if (kind < 48) return valid() ?? pickOr(stream, grammar.actions);
  if (kind < 112) return assemble(stream, grammar);
  if (kind < 200) return bend(stream, valid() ?? pickOr(stream, grammar.actions), grammar);
  if (kind < 216) return withProperty(stream, pickOr(stream, grammar.actions));
  if (kind < 232) return randomText(stream);
  if (kind < 244) return cutOf(stream, shown());
  return stretch(stream, pickOr(stream, grammar.actions), grammar, kind === 255 ? longest : 2000);
}

const pickOr = (stream: RandomStream, texts: readonly string[]): string =>
  texts.length === 0 ? '' : stream.pick(texts);

/** Something to put in: a word of the environment more often than not. */
function piece(stream: RandomStream, { words, actions }: Grammar): string {
  switch (stream.int(8)) {
    case 0:
      return stream.pick(letters);
    case 1:
      return stream.pick(marks);
    case 2:
      return stream.pick(properties);
    case 3:
      return pickExtreme(stream);
    case 4:
      return pickOr(stream, actions);
    default:
      return pickOr(stream, words);
  }
}

function assemble(stream: RandomStream, grammar: Grammar): string {
  const join = stream.pick(['', '', ' ']);
  return Array.from({ length: 1 + stream.int(8) }, () => piece(stream, grammar)).join(join);
}

/** Changes an action in a few places. */
function bend(stream: RandomStream, action: string, grammar: Grammar): string {
  let text = action;
  for (let change = 1 + stream.int(3); change > 0; change--) text = bendOnce(stream, text, grammar);
  return text;
}

function bendOnce(stream: RandomStream, text: string, grammar: Grammar): string {
  const [from, to] = range(stream, text);
  const [before, inside, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  switch (stream.int(9)) {
    case 0:
      return before + piece(stream, grammar) + text.slice(from);
    case 1:
      return before + after;
    case 2:
      return before + piece(stream, grammar) + after;
    case 3:
      return before + inside + inside + after;
    case 4:
      return text.replace(/\d+/, () => pickExtreme(stream));
    case 5:
      return stream.int(2) === 0 ? text.toUpperCase() : text.toLowerCase();
    case 6:
      return before + pickOr(stream, grammar.actions).slice(stream.int(8));
    case 7:
      return stream.shuffle(splitWords(text)).join('');
    default:
      return before + stream.pick(letters) + text.slice(from);
  }
}

/** Puts the name of a property where a word was, or leaves it alone. */
function withProperty(stream: RandomStream, action: string): string {
  const words = splitWords(action);
  if (words.length === 0 || stream.int(4) === 0) return stream.pick(properties);
  words[stream.int(words.length)] = stream.pick(properties);
  return words.join('');
}

/** Any code units, halves of pairs included. */
function randomText(stream: RandomStream): string {
  const highest = stream.pick([0x20, 0x80, 0x3000, 0x10000]);
  return Array.from({ length: stream.int(stream.pick([4, 40, 200])) }, () =>
    String.fromCharCode(stream.int(highest)),
  ).join('');
}

function cutOf(stream: RandomStream, text: string): string {
  const [from, to] = range(stream, text);
  return text.slice(from, to);
}

/** Repeats a piece inside an action until the string is as long as `most`, or a part of it. */
function stretch(stream: RandomStream, action: string, grammar: Grammar, most: number): string {
  const at = stream.int(action.length + 1);
  const chosen = piece(stream, grammar) || 'x';
  const length = Math.max(chosen.length, most === longest ? most : stream.int(most));
  const room = Math.max(0, length - action.length);
  return (
    action.slice(0, at) + chosen.repeat(Math.ceil(room / chosen.length)).slice(0, room) + action.slice(at)
  );
}

function range(stream: RandomStream, text: string): [from: number, to: number] {
  const from = stream.int(text.length + 1);
  return [from, from + stream.int(Math.min(text.length - from, stream.pick([2, 16, 64])) + 1)];
}
