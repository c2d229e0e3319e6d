/**
 * @file A message as token ids with the kind of each. It is encoded as one text, as the chat template's own rendering
 * would be: a merge may cross from the environment's text into the prompt format, and such a token counts as the
 * environment's.
 */
import type { Tokenizer } from '@espalier/contracts';
import { decodePiece, encodePiece } from './chat-frame.js';
import type { Piece } from './prompt.js';

/** Tokens of one kind. */
export interface Chunk {
  readonly kind: Piece['kind'];
  readonly tokens: Int32Array;
}

/** Most messages that are remembered. */
const maxRemembered = 256;

/** Encodes messages, and remembers the last ones: the episodes of a group begin alike. */
export class MessageEncoder {
  readonly #messages = new Map<string, readonly Chunk[]>();
  /** text of the prompt format → ids */
  readonly #templates = new Map<string, Int32Array>();

  constructor(
    private readonly tokenizer: Tokenizer,
    /** throws for ids that an environment's text must not have */
    private readonly checkObservation: (tokens: Int32Array) => void,
    /** encode each piece on its own, for a tokenizer that is to be trained on the pieces */
    private readonly onlyPieces: boolean,
  ) {}

  /** Encodes pieces that follow the id `previous`; undefined at the start of a conversation. */
  encode(pieces: readonly Piece[], previous: number | undefined): readonly Chunk[] {
    const key = [String(previous), ...pieces.map(({ kind, text }) => kind + text)].join('\0');
    const known = this.#messages.get(key);
    if (known !== undefined) return known;
    const chunks = this.#encodeMessage(pieces, previous);
    if (this.#messages.size >= maxRemembered) this.#messages.clear();
    this.#messages.set(key, chunks);
    return chunks;
  }

  #encodeMessage(pieces: readonly Piece[], previous: number | undefined): readonly Chunk[] {
    const chunks = this.#encodeEach(pieces, previous);
    if (this.onlyPieces) return chunks;
    const text = pieces.map((piece) => piece.text).join('');
    const whole =
      previous === undefined ? this.tokenizer.encode(text) : encodePiece(this.tokenizer, text, previous);
    const isSame =
      chunks.reduce((sum, { tokens }) => sum + tokens.length, 0) === whole.length &&
      chunks.flatMap(({ tokens }) => [...tokens]).every((id, place) => id === whole[place]);
    return isSame ? chunks : this.#align(whole, chunks);
  }

  #encodeEach(pieces: readonly Piece[], previous: number | undefined): Chunk[] {
    let last = previous;
    return pieces.map(({ kind, text }) => {
      const tokens = kind === 'template' ? this.#encodeTemplate(text, last) : this.#encodeText(text, last);
      if (kind !== 'template') this.checkObservation(tokens);
      last = tokens.at(-1) ?? last;
      return { kind, tokens };
    });
  }

  #encodeText(text: string, previous: number | undefined): Int32Array {
    return previous === undefined ? this.tokenizer.encode(text) : encodePiece(this.tokenizer, text, previous);
  }

  #encodeTemplate(text: string, previous: number | undefined): Int32Array {
    const isStart = previous === undefined;
    const key = this.tokenizer.continuation === undefined && !isStart ? text : `${previous}\0${text}`;
    const known = this.#templates.get(key);
    if (known !== undefined) return known;
    const tokens = this.#encodeText(text, previous);
    this.#templates.set(key, tokens);
    return tokens;
  }

  /** Gives the ids of the whole the kinds of the pieces; a token across their ends belongs to the observation. */
  #align(whole: Int32Array, chunks: readonly Chunk[]): Chunk[] {
    const ids = chunks.flatMap(({ tokens }) => [...tokens]);
    const kinds = chunks.flatMap(({ kind, tokens }) => Array.from(tokens, () => kind));
    const aligned: Chunk[] = [];
    for (let i = 0, j = 0; j < whole.length;) {
      const { pieces, tokens } =
        ids[i] === whole[j] ? { pieces: 1, tokens: 1 } : this.#meet(ids, i, whole, j);
      aligned.push({ kind: kindOf(kinds.slice(i, i + pieces)), tokens: whole.slice(j, j + tokens) });
      i += pieces;
      j += tokens;
    }
    return joinChunks(aligned);
  }

  /** Counts the ids on both sides up to where they first stand for the same text. */
  #meet(
    ids: readonly number[],
    i: number,
    whole: Int32Array,
    j: number,
  ): { readonly pieces: number; readonly tokens: number } {
    let pieces = 1;
    let tokens = 1;
    while (i + pieces < ids.length || j + tokens < whole.length) {
      const left = decodePiece(this.tokenizer, Int32Array.from(ids.slice(i, i + pieces)), undefined);
      const right = decodePiece(this.tokenizer, whole.subarray(j, j + tokens), undefined);
      if (left === right) break;
      const isLeftBehind = left.length < right.length || j + tokens >= whole.length;
      if (isLeftBehind && i + pieces < ids.length) pieces += 1;
      else tokens += 1;
    }
    return { pieces, tokens };
  }
}

function kindOf(met: readonly Chunk['kind'][]): Chunk['kind'] {
  if (met.includes('observation')) return 'observation';
  return met.includes('repeated') ? 'repeated' : 'template';
}

function joinChunks(chunks: readonly Chunk[]): Chunk[] {
  const joined: { kind: Chunk['kind']; ids: number[] }[] = [];
  for (const { kind, tokens } of chunks) {
    const last = joined.at(-1);
    if (last?.kind === kind) last.ids.push(...tokens);
    else joined.push({ kind, ids: [...tokens] });
  }
  return joined.map(({ kind, ids }) => ({ kind, tokens: Int32Array.from(ids) }));
}

/** Neighbours of one kind are encoded together. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = joined.at(-1);
    if (last?.kind === kind) joined[joined.length - 1] = { kind, text: last.text + text };
    else if (text !== '') joined.push({ kind, text });
  }
  return joined;
}
