/** @file Small tokenizers of every kind, in the form in which published models have them. */
import type { TokenizerFiles } from '@espalier/model';

type Json = Readonly<Record<string, unknown>>;

const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
const specials = [
  '<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>',
  '<start_of_turn>', '<end_of_turn>', '<|endoftext|>',
] as const; // prettier-ignore

const added = specials.map((content, id) => ({
  id,
  content,
  normalized: false,
  special: true,
  lstrip: false,
  rstrip: false,
  single_word: false,
}));

/** The character that stands for a byte in a byte-level vocabulary, as GPT-2 has it. */
const byteAlphabet: readonly string[] = (() => {
  const isPlain = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPlain(byte) ? byte : next++));
})();

function bpe(alphabet: readonly string[], merges: readonly string[], steps: Json, more: Json = {}): Json {
  const vocabulary = [...specials, ...alphabet, ...merges.map((merge) => merge.replace(' ', ''))];
  return {
    added_tokens: added,
    post_processor: null,
    model: {
      type: 'BPE',
      unk_token: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries([...new Set(vocabulary)].map((token, id) => [token, id])),
      merges,
      ...more,
    },
    ...steps,
  };
}

/** Merges that reach across the ends of the pieces of a prompt: after a state, before one, within words. */
const byteMerges = [
  'Ġ Ġ',
  'Ċ Ċ',
  '] Ċ',
  ') Ċ',
  '_ Ċ',
  ': Ċ',
  '. Ċ',
  '_ _',
  'Ġ L',
  'ĠL e',
  'ĠLe ft',
  'f t',
  '> Ċ',
  '> <',
  'a n',
  'Ġ an',
];
const wordMerges = [
  '▁ ▁',
  '\n \n',
  '] \n',
  ') \n',
  '_ \n',
  ': \n',
  '. \n',
  '_ _',
  '▁ L',
  '▁L e',
  '▁ <',
  '▁ [',
  'a n',
  '▁ an',
  '> <',
  '▁ Y',
  '▁ \n',
];

const byteLevel = (pattern: string): Json =>
  bpe(byteAlphabet, byteMerges, {
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  });

const toMark = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
const toSpace = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
const strip = { type: 'Strip', content: ' ', start: 1, stop: 0 };
const byteTokens = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const fallback: Json = { byte_fallback: true, unk_token: '<unk>', fuse_unk: true };
const characters = ['▁', '\n', ...printable];

const unigram = (steps: Json): Json => ({
  added_tokens: added,
  post_processor: null,
  model: {
    type: 'Unigram',
    unk_id: 0,
    byte_fallback: false,
    vocab: [
      ...specials.map((token) => [token, 0]),
      ...characters.map((token, i) => [token, -6 - i / 100]),
      ...wordMerges.map((merge, i) => [merge.replace(' ', ''), -5 - i / 100]),
      ['▁the', -4],
      ['answer>', -4.5],
    ].filter(([token], place, all) => all.findIndex(([other]) => other === token) === place),
  },
  ...steps,
});
const metaspace = (prepend_scheme: string): Json => {
  const step = { type: 'Metaspace', replacement: '▁', prepend_scheme, split: false };
  return { normalizer: null, pre_tokenizer: step, decoder: step };
};

/** tokenizer.json by kind. */
export const tokenizerKinds: Readonly<Record<string, Json>> = {
  'byte-level, cut as Llama 3': byteLevel(
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ),
  'byte-level, cut as Qwen': byteLevel(
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ),
  'SentencePiece BPE with bytes and a space before every text, as Llama 2': bpe(
    [...byteTokens, ...characters],
    wordMerges,
    {
      normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, toMark] },
      pre_tokenizer: null,
      decoder: { type: 'Sequence', decoders: [toSpace, { type: 'ByteFallback' }, { type: 'Fuse' }, strip] },
    },
    fallback,
  ),
  'SentencePiece BPE with bytes and a space before the first text, as Mistral': bpe(
    [...byteTokens, ...characters],
    wordMerges,
    {
      ...metaspace('first'),
      decoder: { type: 'Sequence', decoders: [toSpace, { type: 'ByteFallback' }, { type: 'Fuse' }, strip] },
    },
    fallback,
  ),
  'SentencePiece BPE with bytes and no space of its own, as Gemma': bpe(
    [...byteTokens, ...characters],
    wordMerges,
    {
      normalizer: toMark,
      pre_tokenizer: {
        type: 'Split',
        pattern: { String: ' ' },
        behavior: 'MergedWithPrevious',
        invert: false,
      },
      decoder: { type: 'Sequence', decoders: [toSpace, { type: 'ByteFallback' }, { type: 'Fuse' }] },
    },
    fallback,
  ),
  'Unigram with a space before the first text': unigram(metaspace('first')),
  'Unigram with a space before every text': unigram(metaspace('always')),
  'Unigram without a space of its own': unigram(metaspace('never')),
};

/** The files of a tokenizer with a chat template whose turns end with `end`; conversations begin with `begin`. */
export function tokenizerFiles(kind: string, template: string, end: string, begin = '<s>'): TokenizerFiles {
  return {
    tokenizer: tokenizerKinds[kind] ?? {},
    config: { bos_token: begin, eos_token: end, unk_token: '<unk>', chat_template: template },
  };
}
