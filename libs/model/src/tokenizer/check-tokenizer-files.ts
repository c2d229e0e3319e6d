/**
 * @file What a tokenizer.json must be before the library that runs it sees it: that library trusts its input, and some
 * of what a broken file asks for would never end.
 */
import { isRecord } from '@espalier/contracts/values';
import { findCostlyPart } from './pattern-cost.js';

/** Highest id of a token; the largest published vocabularies stay below a third of it. */
const maxTokenId = 2 ** 20 - 1;
/** Deepest nesting of steps. */
const maxDepth = 16;
const maxPatternLength = 4096;
const modelTypes = new Set<unknown>(['BPE', 'Unigram', 'WordPiece']);

type Json = Readonly<Record<string, unknown>>;

const isTokenId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokenId;
const show = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 60);

/** Finds what is wrong with a tokenizer.json; undefined when nothing is. */
export function findTokenizerFlaw(tokenizer: Json): string | undefined {
  const { model, added_tokens: added } = tokenizer;
  if (!isRecord(model) || typeof model['vocab'] !== 'object' || model['vocab'] === null)
    return 'has no "model" with a "vocab"';
  const { type } = model;
  if (type !== undefined && type !== null && !modelTypes.has(type))
    return `has a model of type ${show(type)}; expected ${[...modelTypes].join(', ')}`;
  if (Object.keys(model['vocab']).length === 0) return 'has an empty "vocab"';
  if (!Array.isArray(added)) return 'has no list "added_tokens"';
  return (
    findVocabularyFlaw(model) ??
    findMergeFlaw(model['merges']) ??
    findAddedFlaw(added as unknown[]) ??
    ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder']
      .map((part) => findStepFlaw(part, tokenizer[part], 0))
      .find((flaw) => flaw !== undefined)
  );
}

function findVocabularyFlaw(model: Json): string | undefined {
  const vocabulary = model['vocab'];
  if (Array.isArray(vocabulary)) {
    const wrong = (vocabulary as unknown[]).findIndex(
      (entry) => !Array.isArray(entry) || typeof entry[0] !== 'string' || !Number.isFinite(entry[1]),
    );
    if (wrong >= 0) return `has the vocabulary entry ${show(vocabulary[wrong])}; expected [token, score]`;
    const unknown = model['unk_id'];
    const isKnown =
      unknown === undefined || unknown === null || (isTokenId(unknown) && unknown < vocabulary.length);
    return isKnown ? undefined : `has the unk_id ${show(unknown)}; expected the place of an entry`;
  }
  const seen = new Set<unknown>();
  for (const [token, id] of Object.entries(vocabulary as Json)) {
    if (!isTokenId(id)) return `gives token ${show(token)} the id ${show(id)}; expected 0..${maxTokenId}`;
    if (seen.has(id)) return `gives two tokens the id ${id}`;
    seen.add(id);
  }
  return undefined;
}

function findMergeFlaw(merges: unknown): string | undefined {
  if (merges === undefined || merges === null) return undefined;
  if (!Array.isArray(merges)) return `has "merges" that are ${show(merges)}; expected a list`;
  const isMerge = (merge: unknown): boolean =>
    typeof merge === 'string'
      ? merge.includes(' ')
      : Array.isArray(merge) && merge.length === 2 && merge.every((part) => typeof part === 'string');
  const wrong = (merges as unknown[]).findIndex((merge) => !isMerge(merge));
  return wrong < 0 ? undefined : `has the merge ${show(merges[wrong])}; expected two tokens`;
}

function findAddedFlaw(added: readonly unknown[]): string | undefined {
  const wrong = added.findIndex(
    (token) =>
      !isRecord(token) ||
      !isTokenId(token['id']) ||
      typeof token['content'] !== 'string' ||
      token['content'] === '',
  );
  return wrong < 0
    ? undefined
    : `has the added token ${show(added[wrong])}; expected an id in 0..${maxTokenId} and a text`;
}

const isPattern = (value: unknown): boolean =>
  isRecord(value) && (typeof value['String'] === 'string' || typeof value['Regex'] === 'string');

/** Checks one step of normalising, cutting or decoding, and the steps inside it. */
function findStepFlaw(place: string, step: unknown, depth: number): string | undefined {
  if (step === null || step === undefined) return undefined;
  if (depth > maxDepth) return `nests "${place}" deeper than ${maxDepth}`;
  if (Array.isArray(step)) {
    return (step as unknown[])
      .map((entry) => findStepFlaw(place, entry, depth + 1))
      .find((flaw) => flaw !== undefined);
  }
  if (!isRecord(step)) return undefined;
  const pattern = step['Regex'];
  if (typeof pattern === 'string') {
    if (pattern.length > maxPatternLength)
      return `has a pattern of ${pattern.length} characters in "${place}"`;
    const costly = findCostlyPart(pattern);
    if (costly !== undefined)
      return `has the pattern ${show(pattern)} in "${place}" with ${costly}; it could take forever`;
  }
  if (step['String'] === '') return `has an empty pattern in "${place}"`;
  for (const [key, value] of Object.entries(step)) {
    if (key === 'pattern' && !isPattern(value))
      return `has the pattern ${show(value)} in "${place}"; expected {"String": …} or {"Regex": …}`;
    if (typeof value !== 'object') continue;
    const flaw = findStepFlaw(key === 'pattern' ? place : `${place}.${key}`, value, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
