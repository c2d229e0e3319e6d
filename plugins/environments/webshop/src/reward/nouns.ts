/**
 * @file The nouns of a title. WebShop asks spaCy; here it is wink-nlp's tagger, which is loaded when a catalogue needs it:
 * products that bring their own `nouns` do not.
 */
import { createRequire } from 'node:module';
import type winkNlpFunction from 'wink-nlp';
import type { Model } from 'wink-nlp';
import type { Product } from '../catalogue/product.js';

/** Finds the nouns of a product's title, in lower case, in its order and with repetitions. */
export type NounFinder = (product: Pick<Product, 'title' | 'nouns'>) => readonly string[];

/** Creates the finder for a catalogue; it loads the tagger when the first title needs it. */
export function createNounFinder(): NounFinder {
  const found = new Map<string, readonly string[]>();
  return ({ title, nouns }) => {
    if (nouns !== undefined) return nouns;
    let tagged = found.get(title);
    if (tagged === undefined) {
      tagger ??= loadTagger();
      tagged = tagger(title);
      found.set(title, tagged);
    }
    return tagged;
  };
}

type Tagger = (title: string) => readonly string[];

/** One per process: it takes 60 MB. */
let tagger: Tagger | undefined;

function loadTagger(): Tagger {
  const require = createRequire(import.meta.url);
  const winkNlp = require('wink-nlp') as typeof winkNlpFunction;
  const model = require('wink-eng-lite-web-model') as Model;
  const nlp = winkNlp(model, ['sbd', 'pos']);
  return (title) => {
    const tokens = nlp.readDoc(title).tokens();
    const tags: readonly string[] = tokens.out(nlp.its.pos);
    const words: readonly string[] = tokens.out(nlp.its.value);
    return words
      .filter((_, place) => tags[place] === 'NOUN' || tags[place] === 'PROPN')
      .map((word) => word.toLowerCase());
  };
}
