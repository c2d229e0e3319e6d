/**
 * @file The tokenizer of a GGUF file as the files of Hugging Face: byte-level BPE by the name of its pre-tokenizer, and
 * the BPE of SentencePiece, whose merges follow from its scores.
 */
import type { TokenizerFiles } from '../tokenizer/train-tokenizer.js';
import type { GgufMetadata } from './gguf-metadata.js';
import { unsupportedGguf } from './parse-gguf.js';

const key = (name: string): string => `tokenizer.ggml.${name}`;

/** Kinds of tokens, `tokenizer.ggml.token_type`. */
const tokenType = { unknown: 2, control: 3, userDefined: 4 } as const;

/** What a tokenizer.json has beside its vocabulary. */
interface Steps {
  readonly normalizer: unknown;
  readonly pre_tokenizer: unknown;
  readonly decoder: unknown;
  readonly model: Readonly<Record<string, unknown>>;
}

const gpt2 = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
const bytesOnly = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
const cut = (pattern: string): unknown => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
const inOrder = (...pretokenizers: unknown[]): unknown => ({ type: 'Sequence', pretokenizers });
const digits = inOrder({ type: 'Digits', individual_digits: true }, gpt2);
const wordsAndDigits = (most: string): unknown =>
  inOrder(
    cut(
      `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${most}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
    ),
    bytesOnly,
  );

export interface PreTokenizer {
  readonly steps: unknown;
  readonly normalizer?: unknown;
  /** a piece that is a token stays whole, whatever the merges */
  readonly ignoresMerges?: boolean;
  /** puts the first token before a text where the file does not say */
  readonly startsTexts?: boolean;
}

const llama3: PreTokenizer = { steps: wordsAndDigits('{1,3}'), ignoresMerges: true, startsTexts: true };
const qwen2: PreTokenizer = { steps: wordsAndDigits(''), normalizer: { type: 'NFC' } };

/** How text is cut before BPE, by `tokenizer.ggml.pre`. */
export const preTokenizers: Readonly<Record<string, PreTokenizer>> = {
  'gpt-2': { steps: gpt2 },
  smollm: { steps: digits },
  starcoder: { steps: digits },
  refact: { steps: digits },
  'llama-bpe': llama3,
  'llama-v3': llama3,
  llama3,
  dbrx: { steps: wordsAndDigits('{1,3}') },
  'smaug-bpe': { steps: wordsAndDigits('{1,3}') },
  qwen2,
  'deepseek-r1-qwen': qwen2,
};

/**
 * Makes the files of a tokenizer.
 *
 * @param template replaces the chat template of the file
 * @throws model.unsupported_gguf naming the key
 */
export function describeTokenizer(metadata: GgufMetadata, template?: string): TokenizerFiles {
  const tokens = metadata.texts(key('tokens'));
  checkTokens(tokens, metadata);
  const model = metadata.optionalText(key('model'));
  const steps =
    model === 'gpt2'
      ? describeByteLevel(tokens, metadata)
      : model === 'llama'
        ? describeSentencePiece(tokens, metadata)
        : metadata.refuse(key('model'), 'supported are "gpt2" and "llama"');
  const special = describeSpecial(tokens, metadata);
  const chatTemplate = describeTemplates(metadata, template);
  const startsTexts = readStartsTexts(model, metadata);
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: describeAdded(tokens, metadata),
      normalizer: steps.normalizer,
      pre_tokenizer: steps.pre_tokenizer,
      post_processor: startsTexts ? describeStart(special['bos_token'], tokens) : null,
      decoder: steps.decoder,
      model: steps.model,
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      ...special,
      add_bos_token: startsTexts && special['bos_token'] !== null,
      add_prefix_space: false,
      clean_up_tokenization_spaces: false,
      ...(chatTemplate === undefined ? {} : { chat_template: chatTemplate }),
    },
  };
}

function checkTokens(tokens: readonly string[], metadata: GgufMetadata): void {
  const seen = new Set<string>();
  for (const token of tokens) {
    if (seen.has(token))
      throw unsupportedGguf(
        metadata.source,
        `${key('tokens')} has ${JSON.stringify(token)} twice; expected different tokens`,
      );
    seen.add(token);
  }
}

const isUnused = (token: string, id: number): boolean => token === `[PAD${id}]`;

/** The vocabulary without entries that only fill up the embedding. */
function describeVocabulary(tokens: readonly string[]): Record<string, number> {
  const vocabulary: Record<string, number> = Object.create(null) as Record<string, number>;
  tokens.forEach((token, id) => {
    if (!isUnused(token, id)) vocabulary[token] = id;
  });
  return vocabulary;
}

function describeByteLevel(tokens: readonly string[], metadata: GgufMetadata): Steps {
  const name = metadata.optionalText(key('pre')) ?? 'missing';
  const known = Object.keys(preTokenizers).join(', ');
  if (!Object.hasOwn(preTokenizers, name)) metadata.refuse(key('pre'), `supported are ${known}`);
  const { steps, normalizer = null, ignoresMerges = false } = preTokenizers[name] as PreTokenizer;
  const merges = metadata.texts(key('merges'));
  return {
    normalizer,
    pre_tokenizer: steps,
    decoder: { ...gpt2, add_prefix_space: true },
    model: describeBpe(describeVocabulary(tokens), merges, { ignore_merges: ignoresMerges }),
  };
}

function describeBpe(
  vocab: Readonly<Record<string, number>>,
  merges: readonly string[] | readonly (readonly string[])[],
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ...more,
    vocab,
    merges,
  };
}

function describeSentencePiece(tokens: readonly string[], metadata: GgufMetadata): Steps {
  const scores = metadata.optionalNumbers(key('scores'));
  if (scores?.length !== tokens.length)
    return metadata.refuse(key('scores'), `expected ${tokens.length} numbers`);
  const hasPrefix = metadata.optionalFlag(key('add_space_prefix')) ?? true;
  if (metadata.optionalFlag(key('remove_extra_whitespaces')) === true)
    metadata.refuse(key('remove_extra_whitespaces'), 'supported is false');
  const space = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
  const unknown = metadata.optionalNumber(key('unknown_token_id'));
  const vocabulary = describeVocabulary(tokens);
  return {
    normalizer: hasPrefix
      ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, space] }
      : space,
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(hasPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: describeBpe(vocabulary, mergesOf(vocabulary, tokens, scores), {
      unk_token: unknown === undefined ? null : (tokens[unknown] ?? null),
      fuse_unk: true,
      byte_fallback: true,
    }),
  };
}

/** Longest token that is taken apart, in UTF-16 units; SentencePiece's longest have 16 characters. */
const longestPiece = 256;

/** Each way to join two tokens to a third, the best score first: SentencePiece joins whichever pair scores highest. */
function mergesOf(
  vocabulary: Readonly<Record<string, number>>,
  tokens: readonly string[],
  scores: readonly number[],
): [string, string][] {
  const merges: { readonly pair: [string, string]; readonly score: number; readonly order: number }[] = [];
  tokens.forEach((token, id) => {
    const pairs: [string, string][] = [];
    for (let at = 1; at < Math.min(token.length, longestPiece); at++) {
      const pair: [string, string] = [token.slice(0, at), token.slice(at)];
      if (pair.every((part) => vocabulary[part] !== undefined)) pairs.push(pair);
    }
    pairs.sort((a, b) => vocabulary[a[0]]! - vocabulary[b[0]]! || vocabulary[a[1]]! - vocabulary[b[1]]!);
    for (const pair of pairs) merges.push({ pair, score: scores[id]!, order: merges.length });
  });
  return merges.sort((a, b) => b.score - a.score || a.order - b.order).map(({ pair }) => pair);
}

/** Special tokens by their names in tokenizer_config.json. */
function describeSpecial(tokens: readonly string[], metadata: GgufMetadata): Record<string, string | null> {
  const names = { bos_token: 'bos', eos_token: 'eos', pad_token: 'padding', unk_token: 'unknown' };
  return Object.fromEntries(
    Object.entries(names).map(([name, part]) => {
      const id = metadata.optionalNumber(key(`${part}_token_id`));
      if (id === undefined) return [name, null];
      return [
        name,
        tokens[id] ?? metadata.refuse(key(`${part}_token_id`), `there are ${tokens.length} tokens`),
      ];
    }),
  );
}

function describeAdded(tokens: readonly string[], metadata: GgufMetadata): unknown[] {
  const types = metadata.optionalNumbers(key('token_type'));
  if (types?.length !== tokens.length)
    metadata.refuse(key('token_type'), `expected ${tokens.length} numbers`);
  return tokens.flatMap((content, id) => {
    const type = types?.[id];
    const isSpecial = type === tokenType.control || type === tokenType.unknown;
    if ((!isSpecial && type !== tokenType.userDefined) || isUnused(content, id)) return [];
    return [
      {
        id,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: isSpecial,
      },
    ];
  });
}

/** Whether other tools put the first token before a text; where the file does not say, as llama.cpp does. */
function readStartsTexts(model: string | undefined, metadata: GgufMetadata): boolean {
  const given = metadata.optionalFlag(key('add_bos_token'));
  return (
    given ??
    (model === 'llama' || preTokenizers[metadata.optionalText(key('pre')) ?? '']?.startsTexts === true)
  );
}

/** The template for plain chat, or all where some have names, as tokenizer_config.json has them. */
function describeTemplates(metadata: GgufMetadata, replacement?: string): unknown {
  const base = 'tokenizer.chat_template';
  const plain = replacement ?? metadata.optionalText(base);
  const named = (metadata.optionalTexts(`${base}s`) ?? []).flatMap((name) => {
    const template = metadata.optionalText(`${base}.${name}`);
    return template === undefined || name === 'default' ? [] : [{ name, template }];
  });
  if (named.length === 0) return plain;
  return [...(plain === undefined ? [] : [{ name: 'default', template: plain }]), ...named];
}

function describeStart(start: string | null | undefined, tokens: readonly string[]): unknown {
  if (typeof start !== 'string') return null;
  const first = { SpecialToken: { id: start, type_id: 0 } };
  const text = { Sequence: { id: 'A', type_id: 0 } };
  return {
    type: 'TemplateProcessing',
    single: [first, text],
    pair: [first, text, { Sequence: { id: 'B', type_id: 0 } }],
    special_tokens: { [start]: { id: start, ids: [tokens.indexOf(start)], tokens: [start] } },
  };
}

/** Tokens that llama.cpp takes for the end of a turn or of a message where a file names none, the most telling first. */
const stopTexts: Readonly<Record<string, readonly string[]>> = {
  eos: [],
  eot: [
    '<|eot_id|>',
    '<|im_end|>',
    '<|end|>',
    '<end_of_turn>',
    '<|endoftext|>',
    '<|end_of_text|>',
    '<EOT>',
    '_<EOT>',
    '[EOT]',
    '<｜end▁of▁sentence｜>',
    '<end_of_utterance>',
  ],
  eom: ['<|eom_id|>'],
};

/** Ids that end a turn: end of text, of a turn, of a message. @throws model.unsupported_gguf for one that is no token */
export function findStopTokens(metadata: GgufMetadata): number[] {
  const tokens = metadata.texts(key('tokens'));
  const types = metadata.optionalNumbers(key('token_type'));
  const isControl = (id: number): boolean => types?.[id] === tokenType.control;
  const ids = Object.entries(stopTexts).map(([name, texts]) => {
    const id = metadata.optionalNumber(key(`${name}_token_id`));
    if (id === undefined) return texts.map((text) => tokens.indexOf(text)).find(isControl);
    const isToken = Number.isInteger(id) && id >= 0 && id < tokens.length;
    return isToken ? id : metadata.refuse(key(`${name}_token_id`), `there are ${tokens.length} tokens`);
  });
  return [...new Set(ids.filter((id) => id !== undefined))];
}
