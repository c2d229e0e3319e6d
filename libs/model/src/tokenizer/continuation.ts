/**
 * @file Text in the middle of a conversation, for tokenizers that put a space before a text: a "Prepend" normalizer or
 * a "Metaspace" pre-tokenizer (Llama 2, TinyLlama, Mistral). The whole conversation has that space at its start and,
 * with "Prepend", after each special token, but nowhere else. A second tokenizer without the steps that add it encodes
 * what follows ordinary text.
 */
import type { Tokenizer } from '@espalier/contracts';

type Json = Readonly<Record<string, unknown>>;
type Continuation = NonNullable<Tokenizer['continuation']>;

/** The part of a tokenizer that is needed here. */
export interface Coder {
  encode(text: string): Int32Array;
  decode(tokens: ArrayLike<number>): string;
}

/** Gives a tokenizer.json without the steps that add a space to a text; undefined where it has none. */
export function withoutPrefixSpace(tokenizer: Json): Json | undefined {
  const [normalizer, pre_tokenizer, decoder] = ['normalizer', 'pre_tokenizer', 'decoder'].map((part) =>
    withoutPrefix(tokenizer[part], part),
  );
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (isSame(normalizer, tokenizer['normalizer']) && isSame(pre_tokenizer, tokenizer['pre_tokenizer']))
    return undefined;
  return { ...tokenizer, normalizer, pre_tokenizer, decoder };
}

/**
 * Makes a decoder keep the space that a text begins with where its encoder puts none there: the library's "Metaspace"
 * decoder drops it in any case.
 */
export function withFaithfulDecoder(tokenizer: Json): Json {
  const decoder = tokenizer['decoder'] as Json | null | undefined;
  const isChanged = decoder?.['type'] === 'Metaspace' && decoder['prepend_scheme'] === 'never';
  return isChanged ? { ...tokenizer, decoder: withoutPrefix(decoder, 'decoder') } : tokenizer;
}

/** Steps that may be lists of steps, by the key of the list. */
const listKeys = ['normalizers', 'pretokenizers', 'decoders'];

function withoutPrefix(step: unknown, part: string): unknown {
  if (typeof step !== 'object' || step === null) return step;
  const { type, ...options } = step as Json;
  const key = listKeys.find((name) => Array.isArray(options[name]));
  if (key !== undefined) {
    const steps = (options[key] as unknown[]).map((one) => withoutPrefix(one, part));
    return { type, ...options, [key]: steps.filter((one) => one !== null) };
  }
  if (type === 'Prepend') return null;
  if (type === 'Metaspace' && part === 'decoder') {
    const replacement = options['replacement'] ?? '▁';
    return { type: 'Replace', pattern: { String: replacement }, content: ' ' };
  }
  if (type === 'Metaspace' && options['prepend_scheme'] !== 'never')
    return { type, ...options, prepend_scheme: 'never', add_prefix_space: false };
  if (type === 'ByteLevel' && part === 'pre_tokenizer' && options['add_prefix_space'] === true)
    return { type, ...options, add_prefix_space: false };
  if (type === 'Strip' && part === 'decoder' && options['content'] === ' ')
    return { type, ...options, start: 0 };
  return step;
}

/**
 * Encodes and decodes what follows an id.
 *
 * @param whole the tokenizer as its file says
 * @param plain the same from {@link withoutPrefixSpace}
 * @param added texts of the added tokens by id; each begins a section of its own in the whole text
 */
export function createContinuation(
  whole: Coder,
  plain: Coder,
  added: ReadonlyMap<number, string>,
): Continuation {
  const encodeAfter = (text: string, previous: number): Int32Array | undefined => {
    const marker = added.get(previous);
    if (marker === undefined) return undefined;
    const ids = whole.encode(marker + text);
    return ids[0] === previous ? ids.slice(1) : undefined;
  };
  // a space is put after a special token ("Prepend") or only at the very start (Metaspace "first")
  const [sample] = added.keys();
  const addsInside = sample !== undefined && encodeAfter('a', sample)?.join() !== plain.encode('a').join();
  return {
    encode: (text, previous) => {
      if (text === '') return new Int32Array(0);
      const after = previous === undefined ? undefined : encodeAfter(text, previous);
      if (after !== undefined) return after;
      const ids = plain.encode(text);
      const all = whole.encode(text);
      const head = ids.findIndex((id) => added.has(id));
      const tail = all.findIndex((id) => added.has(id));
      return head < 0 || tail < 0 ? ids : Int32Array.from([...ids.subarray(0, head), ...all.subarray(tail)]);
    },
    decode: (tokens, previous) =>
      addsInside && previous !== undefined && added.has(previous)
        ? whole.decode(tokens)
        : plain.decode(tokens),
  };
}
