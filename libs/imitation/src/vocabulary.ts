/**
 * @file Trains the tokenizer of a new model on the text of the demonstrations. A byte-level tokenizer records every text
 * it encodes; phrases in most episodes of an environment become single tokens, BPE learns the rest.
 */
import type { Tokenizer } from '@espalier/contracts';
import { createTokenizer, type TokenizerFiles, trainTokenizer } from '@espalier/model';
import { createContextFactory } from '@espalier/rollout';
import type { Demonstration } from './demonstration.js';
import { taughtSeeds, teachEpisode, waitFor } from './teacher.js';

/** Episodes for the tokenizer, and how many of each demonstration at most and at least. */
const episodes = { total: 2000, most: 200, least: 50 };
/** Share of a demonstration's episodes that must contain a phrase. */
const commonShare = 0.5;
/** Share of the episodes that have a word of an answer which belongs to the form of answers, as `go` and `to`. */
const nearlyAll = 0.95;
/** Shorter phrases are left to BPE. */
const minPhraseLength = 6;
/** Tags, separator, and the one multi-byte grid symbol: never merged with their neighbors. */
const markup = ['<think>', '</think>', '<answer>', '</answer>', ' || ', '√'];

/** Trains the tokenizer of the demonstrations; the same arguments and plugins give the same files. */
export async function trainVocabulary(
  seed: number,
  { vocabularySize, contextLength }: { readonly vocabularySize: number; readonly contextLength: number },
  demonstrations: readonly Demonstration[],
): Promise<TokenizerFiles> {
  const bytes = createTokenizer(
    trainTokenizer({ corpus: [], phrases: markup, vocabularySize: 300, contextLength }),
  );
  const corpus: string[] = [];
  const phrases = new Set(markup);
  const { total, most, least } = episodes;
  const count = Math.max(least, Math.min(most, Math.floor(total / demonstrations.length)));
  for (const demonstration of demonstrations) {
    const recorded = await recordEpisodes(seed, demonstration, bytes, count);
    const names = await listChangingNames(seed, demonstration, count);
    const words = names === undefined ? listChangingWords(recorded) : [];
    for (const phrase of findCommonPhrases(recorded, names, words)) phrases.add(phrase);
    for (const texts of recorded) corpus.push(...texts);
  }
  return trainTokenizer({ corpus, phrases: [...phrases].sort(), vocabularySize, contextLength });
}

/** Plays episodes and returns the encoded texts of each. */
async function recordEpisodes(
  seed: number,
  demonstration: Demonstration,
  bytes: Tokenizer,
  count: number,
): Promise<string[][]> {
  let texts: string[] = [];
  const recording: Tokenizer = {
    ...bytes,
    encode: (text) => {
      texts.push(text);
      return bytes.encode(text);
    },
  };
  const recorded: string[][] = [];
  for (let index = 0; index < count; index += 1) {
    texts = [];
    // a new factory each time: it caches encoded texts, which would not be recorded again
    const contexts = createContextFactory(recording, demonstration.prompt, { onlyPieces: true });
    await teachEpisode(demonstration, contexts, taughtSeeds(seed, demonstration.name, index));
    recorded.push(texts);
  }
  return recorded;
}

/**
 * Lists the actions that differ from episode to episode; the model must copy them, so no phrase may contain them.
 * Undefined where actions are free text.
 */
async function listChangingNames(
  seed: number,
  demonstration: Demonstration,
  count: number,
): Promise<string[] | undefined> {
  const names = new Set<string>();
  const lists = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const instance = demonstration.environment.create(demonstration.params);
    const seeds = taughtSeeds(seed, demonstration.name, index);
    const { actions = [] } = await waitFor(demonstration, 'reset', instance.reset(seeds));
    await waitFor(demonstration, 'close', instance.close?.());
    lists.add(actions.join('\n'));
    for (const name of actions) names.add(name);
  }
  if (names.size === 0) return undefined;
  return lists.size > 1 ? [...names] : [];
}

/**
 * Lists the words of free-text answers that not nearly every episode has: the model must copy them from what it is shown,
 * so they are spelled the same everywhere and no phrase contains them.
 */
export function listChangingWords(episodes: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const texts of episodes) {
    const answers = texts
      .filter(isReply)
      .map((text) => text.slice(text.indexOf('<answer>') + '<answer>'.length));
    const words = new Set(
      answers.flatMap((answer) => answer.replace('</answer>', ' ').match(/[A-Za-z]+/g) ?? []),
    );
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count < nearlyAll * episodes.length).map(([word]) => word);
}

/**
 * Finds the sentences without digits and markup that occur in most episodes, split at `names` and around `words` as
 * well. Fragments without a lower-case letter are grids or numbers and are left out.
 */
export function findCommonPhrases(
  episodes: readonly (readonly string[])[],
  names: readonly string[] = [],
  words: readonly string[] = [],
): string[] {
  // built from -- a constant and alternatives of plain text, all of them escaped
  const border = new RegExp(
    [
      phraseBorder,
      ...names.map((name) => name.replace(/[^A-Za-z0-9 ]/g, '\\$&')),
      ...words.map((word) => ` ?\\b${word}\\b`),
    ].join('|'),
  );
  const counts = new Map<string, number>();
  for (const texts of episodes) {
    const shown = texts.filter((text) => !isReply(text));
    for (const fragment of new Set(shown.flatMap((text) => text.split(border)))) {
      counts.set(fragment, (counts.get(fragment) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(
      ([text, count]) =>
        count >= commonShare * episodes.length && text.length >= minPhraseLength && /[a-z]/.test(text),
    )
    .map(([text]) => text);
}

/** Splits at markup, numbers and ends of sentences, so that other options of an environment share most phrases. */
const phraseBorder = '<\\|[^|]*\\|>|[0-9]+|(?<=[.!?])(?= [A-Z])';

/** Replies are left to BPE; the format instruction, which has dots between the tags, is a phrase. */
const isReply = (text: string) => text.includes('</think><answer>') && !text.includes('...');
