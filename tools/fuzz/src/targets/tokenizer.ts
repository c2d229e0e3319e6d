/**
 * @file tokenizer.json and tokenizer_config.json as one JSON text, with a text to encode: the files are opened, the text
 * is encoded, decoded, and a message is rendered. What no mutation touches must come back as it was.
 */
import { createTokenizer, type TokenizerFiles, trainTokenizer } from '@espalier/model';
import type { RandomStream } from '@espalier/random';
import type { FuzzTarget } from '../fuzz-target.js';
import { mutateJson } from '../mutate-json.js';

/** Longest text that is encoded, in UTF-16 units. */
const maxTextLength = 512;

const words = [
  'BPE', 'WordPiece', 'Unigram', 'ByteLevel', 'Split', 'Sequence', 'Metaspace', 'Regex', 'Replace', 'Prepend', 'NFC',
  'Strip', 'Lowercase', 'BertNormalizer', 'Punctuation', 'Digits', 'Whitespace', 'Isolated', 'Removed', '(a+)+$',
  '(x|x)*y', '(?:(?:a*)*)*b', '[', '(', '\\p{L}+', '.*.*=', '<unk>', 'unk_token', 'byte_fallback', 'type', 'pattern',
  'content', 'vocab', 'merges', 'id', 'special', '__proto__', 'constructor', 'toString', 'Ġ', '', '\u0000',
]; // prettier-ignore

const unigram = {
  type: 'Unigram',
  unk_id: 0,
  vocab: [
    ['<unk>', 0],
    ['a', -1],
    ['b', -2],
    ['ab', -1.5],
    ['</s>', 0],
    ['▁', -3],
  ],
};
const llama3Split = {
  type: 'Split',
  pattern: {
    Regex:
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  },
  behavior: 'Isolated',
};
/** What published templates do: slices, namespaces, methods of texts, refusals, a system message in the user's turn. */
const template =
  "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set first = messages[0]['content'] | trim + '\\n\\n' %}{% set rest = messages[1:] %}{% else %}{% set first = '' %}{% set rest = messages %}{% endif %}{% set ns = namespace(last=0) %}{% for m in messages[::-1] %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}{% for m in rest %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}{% if m.role == 'user' %}{{ '[INST] ' + (first if loop.first else '') + m.content + ' [/INST]' }}{% else %}{{ m.content.split('</think>')[-1].lstrip('\\n') + eos_token }}{% endif %}{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}";

interface Case {
  tokenizer: Record<string, unknown>;
  config: Record<string, unknown>;
  text: string;
}

const texts = [
  '',
  'State: P_G\n__O',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  '日本語 ünïcode 😀 \u0000\ufffd',
  '  \n\n\t x',
];

const small = (model: object, more: object = {}): TokenizerFiles => ({
  tokenizer: {
    added_tokens: [{ id: 4, content: '</s>', special: true, normalized: false }],
    model,
    ...more,
  },
  config: { eos_token: '</s>', chat_template: "{% for m in messages %}{{ m['content'] }}{% endfor %}" },
});
const vocab = { a: 0, b: 1, ab: 2, '<unk>': 3, '</s>': 4, '▁': 5, '##b': 6 };
const split = { type: 'Split', pattern: { Regex: '\\s?\\p{L}+|\\d' }, behavior: 'Isolated', invert: false };

/** SentencePiece models as tokenizer.json has them, and one that is cut as Llama 3's. */
const sentencePieces = (): TokenizerFiles[] => [
  small(unigram, {
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
  }),
  small(
    { type: 'BPE', vocab, merges: [['a', 'b']], unk_token: '<unk>', fuse_unk: true },
    {
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
      },
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'Fuse' },
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
      },
    },
  ),
  small(
    { type: 'BPE', vocab, merges: ['a b'], unk_token: '<unk>' },
    {
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [llama3Split, { type: 'ByteLevel', use_regex: false }],
      },
    },
  ),
];

function buildCorpus(): Uint8Array[] {
  const corpus = ['You play a game. State: _P_G. <think> </think> <answer> </answer> Left Right Up Down'];
  const trained = trainTokenizer({
    corpus,
    phrases: ['<think>', '</answer>'],
    vocabularySize: 280,
    contextLength: 512,
  });
  const files: TokenizerFiles[] = [
    trained,
    small({ type: 'BPE', vocab, merges: [['a', 'b']], unk_token: '<unk>' }, { pre_tokenizer: split }),
    small(
      { type: 'BPE', vocab, merges: ['a b'], unk_token: '<unk>', byte_fallback: true },
      {
        normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] },
      },
    ),
    small(
      {
        type: 'WordPiece',
        vocab,
        unk_token: '<unk>',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
      },
      {
        pre_tokenizer: { type: 'BertPreTokenizer' },
        normalizer: { type: 'BertNormalizer', lowercase: true },
      },
    ),
    small(unigram),
    ...sentencePieces(),
  ];
  const encoder = new TextEncoder();
  files.push({
    ...files[1],
    config: { eos_token: '</s>', bos_token: '</s>', chat_template: template },
  } as TokenizerFiles);
  return files.flatMap((file, index) =>
    [0, 1].map((turn) =>
      encoder.encode(JSON.stringify({ ...file, text: texts[(index + turn) % texts.length] })),
    ),
  );
}

function mutateCase(stream: RandomStream, input: Uint8Array): Uint8Array {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(input));
  } catch {
    return input;
  }
  return new TextEncoder().encode(JSON.stringify(mutateJson(stream, parsed, words)) ?? 'null');
}

/** Builds the target. */
export function createTokenizerTarget(): FuzzTarget {
  const decoder = new TextDecoder();
  const read = (input: Uint8Array): void => {
    let given: Partial<Case>;
    try {
      given = (JSON.parse(decoder.decode(input)) ?? {}) as Partial<Case>;
    } catch {
      return;
    }
    const { tokenizer, config, text } = given;
    const isObject = (value: unknown): value is Record<string, unknown> =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject(tokenizer) || !isObject(config)) return; // loadTokenizer refuses these before
    const opened = createTokenizer({ tokenizer, config }, 'fuzz');
    const ids = opened.encode(typeof text === 'string' ? text.slice(0, maxTextLength) : 'a b');
    if (ids.some((id) => !(id >= 0 && id < opened.vocabularySize)))
      throw new Error('an id outside the vocabulary');
    opened.decode(ids);
    const behind = opened.continuation?.encode('a b', ids.at(-1));
    if (behind !== undefined) opened.continuation?.decode(behind, ids.at(-1));
    opened.renderMessages([{ role: 'user', content: 'a' }], { generation: true });
    opened.renderMessages(
      [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: '<think>b</think>a' },
        { role: 'user', content: 'a' },
      ],
      { generation: true, variables: { enable_thinking: false, date_string: '1 May 2025' } },
    );
  };
  return { name: 'tokenizer', corpus: buildCorpus(), words, mutate: mutateCase, read };
}
