/**
 * @file Text as terms, by the chain of Anserini's default English analyser: words by Unicode's rules, no possessive 's,
 * lower case, no stop words, Porter stems.
 */
import { stemmer } from 'stemmer';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Lucene's English stop words. */
const stopWords = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

const pictograph = /\p{Extended_Pictographic}/u;
/** Scripts without spaces, of which Lucene takes each letter as a word. */
const singleLetters = /[\p{Script=Han}\p{Script=Hiragana}]/u;
const possessive = /['\u2019\uff07][sS]$/;

/** ASCII without spaces and `_`, whose words an expression finds as the segmenter does, and five times as fast. */
const plain = /^[!-^`-~]+$/;
const plainWords =
  /[A-Za-z0-9]+(?:(?:(?<=[A-Za-z])['.:](?=[A-Za-z])|(?<=[0-9])[',.;](?=[0-9]))[A-Za-z0-9]+)*/g;
/** The segmenter copies its text for each word, so it gets no long ones. */
const longest = 1000;

/** The terms of a text, in its order. */
export function* termsOf(text: string, stems?: Map<string, string>): Generator<string> {
  for (const word of wordsOf(text)) {
    if (stopWords.has(word)) continue;
    let stem = stems?.get(word);
    if (stem === undefined) {
      stem = stemmer(word);
      stems?.set(word, stem);
    }
    yield stem;
  }
}

function* wordsOf(text: string): Generator<string> {
  // no word has a space, wherever it is cut
  for (const piece of text.split(/[ \t\r\n]+/)) {
    if (plain.test(piece)) {
      for (const word of piece.match(plainWords) ?? []) yield withoutPossessive(word);
      continue;
    }
    for (let start = 0; start < piece.length; start += longest)
      for (const { segment, isWordLike } of segmenter.segment(piece.slice(start, start + longest))) {
        if (isWordLike !== true && !pictograph.test(segment)) continue;
        for (const part of singleLetters.test(segment) ? segment : [segment]) yield withoutPossessive(part);
      }
  }
}

const withoutPossessive = (word: string): string => word.replace(possessive, '').toLowerCase();
