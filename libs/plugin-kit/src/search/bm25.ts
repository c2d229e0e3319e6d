/**
 * @file BM25 as Lucene 9 computes it: k1 = 0.9 and b = 0.4 (Anserini's values), lengths in one byte, scores in single
 * precision, ties by id.
 */
import { termsOf } from './analyze.js';

const k1 = 0.9;
const b = 0.4;

/** Where a term occurs: documents in ascending order, and how often. */
interface Postings {
  documents: Int32Array;
  counts: Uint16Array;
  length: number;
}

/** A search engine over numbered documents. */
export interface SearchIndex {
  readonly documentCount: number;
  readonly termCount: number;
  /** terms of all documents, repeated ones included */
  readonly tokenCount: number;
  /** The documents that match a query best, best first. */
  search(query: string, most: number): readonly number[];
}

/** Builds the index of texts; `ids` decide ties, and may grow while the texts are read. */
export function buildSearchIndex(texts: Iterable<string>, ids: readonly string[]): SearchIndex {
  const postings = new Map<string, Postings>();
  const stems = new Map<string, string>();
  const encoded: number[] = [];
  let tokenCount = 0;
  for (const text of texts) {
    let length = 0;
    for (const term of termsOf(text, stems)) {
      length++;
      record(postings, term, encoded.length);
    }
    tokenCount += length;
    encoded.push(encodeLength(length));
  }
  const lengths = Uint8Array.from(encoded);
  for (const posting of postings.values()) trim(posting);
  const factors = lengthFactors(Math.fround(tokenCount / Math.max(1, ids.length)));
  const ranks = ranksOf(ids);
  const scores = new Float64Array(ids.length);

  const isBetter = (left: number, right: number): boolean =>
    scores[left]! > scores[right]! || (scores[left] === scores[right] && ranks[left]! < ranks[right]!);
  /** The best of many, without sorting them all. */
  const pickBest = (found: readonly number[], most: number): number[] => {
    const best: number[] = [];
    for (const hit of found) {
      if (best.length >= most && !isBetter(hit, best.at(-1)!)) continue;
      let place = best.length;
      while (place > 0 && isBetter(hit, best[place - 1]!)) place--;
      best.splice(place, 0, hit);
      if (best.length > most) best.pop();
    }
    return best;
  };

  const search = (query: string, most: number): readonly number[] => {
    const weights = new Map<string, number>();
    for (const term of termsOf(query)) weights.set(term, (weights.get(term) ?? 0) + 1);
    const found: number[] = [];
    for (const [term, weight] of weights) {
      const posting = postings.get(term);
      if (posting !== undefined) addScores(posting, weight);
    }
    for (const hit of found) scores[hit] = Math.fround(scores[hit]!);
    const result = pickBest(found, most);
    for (const hit of found) scores[hit] = 0;
    return result;

    function addScores({ documents, counts, length }: Postings, boost: number): void {
      const rarity = Math.log(1 + (ids.length - length + 0.5) / (length + 0.5));
      const weight = Math.fround(boost * Math.fround(rarity));
      for (let place = 0; place < length; place++) {
        const hit = documents[place]!;
        const ratio = Math.fround(1 + Math.fround(counts[place]! * factors[lengths[hit]!]!));
        const score = Math.fround(weight - Math.fround(weight / ratio));
        if (scores[hit] === 0) found.push(hit);
        scores[hit]! += score;
      }
    }
  };
  return { documentCount: ids.length, termCount: postings.size, tokenCount, search };
}

function record(postings: Map<string, Postings>, term: string, document: number): void {
  let posting = postings.get(term);
  if (posting === undefined) {
    posting = { documents: new Int32Array(2), counts: new Uint16Array(2), length: 0 };
    postings.set(term, posting);
  }
  if (posting.length > 0 && posting.documents[posting.length - 1] === document) {
    const count = posting.counts[posting.length - 1]!;
    posting.counts[posting.length - 1] = Math.min(65_535, count + 1);
    return;
  }
  if (posting.length === posting.documents.length) {
    const documents = new Int32Array(posting.length * 2);
    documents.set(posting.documents);
    const counts = new Uint16Array(posting.length * 2);
    counts.set(posting.counts);
    posting.documents = documents;
    posting.counts = counts;
  }
  posting.documents[posting.length] = document;
  posting.counts[posting.length] = 1;
  posting.length++;
}

/** Gives back what growing took too much. */
function trim(posting: Postings): void {
  posting.documents = posting.documents.slice(0, posting.length);
  posting.counts = posting.counts.slice(0, posting.length);
}

/** Place of each id in alphabetical order. */
function ranksOf(ids: readonly string[]): Int32Array {
  const order = ids.map((_, place) => place).sort((left, right) => (ids[left]! < ids[right]! ? -1 : 1));
  const ranks = new Int32Array(ids.length);
  for (const [rank, place] of order.entries()) ranks[place] = rank;
  return ranks;
}

/** Lengths below this are kept exactly; longer ones keep four binary digits. */
const exactLengths = 24;

/** Lucene's byte for a length (`SmallFloat.intToByte4`). */
export function encodeLength(length: number): number {
  if (length < exactLengths) return length;
  const rest = length - exactLengths;
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return exactLengths + rest;
  const shift = bits - 4;
  return exactLengths + (((rest >>> shift) & 7) | ((shift + 1) << 3));
}

/** The length that a byte stands for. */
export function decodeLength(byte: number): number {
  if (byte < exactLengths) return byte;
  const code = byte - exactLengths;
  const shift = (code >>> 3) - 1;
  return exactLengths + (shift < 0 ? code & 7 : ((code & 7) | 8) * 2 ** shift);
}

/** For each byte, what a term's count is multiplied by: shorter documents count more. */
function lengthFactors(averageLength: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => {
    const share = Math.fround(Math.fround(b * decodeLength(byte)) / averageLength);
    return Math.fround(1 / Math.fround(k1 * Math.fround(1 - b + share)));
  });
}
