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

/** The terms of a text, in its order. */
export function* termsOf(text: string, stems?: Map<string, string>): Generator<string> {
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true && !pictograph.test(segment)) continue;
    for (const part of singleLetters.test(segment) ? segment : [segment]) {
      const word = part.replace(possessive, '').toLowerCase();
      if (stopWords.has(word)) continue;
      let stem = stems?.get(word);
      if (stem === undefined) {
        stem = stemmer(word);
        stems?.set(word, stem);
      }
      yield stem;
    }
  }
}
