/**
 * @file Makes the files of a small tokenizer in Hugging Face's layout: byte-level BPE, ChatML, whole phrases as
 * single tokens. Digits, newlines and the symbols of grids (full stops and single capitals among them) stay one token
 * each, so that a cell's vertical neighbour is always the same distance away.
 */
import { AppError } from '@espalier/contracts';
import { byteAlphabet } from './byte-alphabet.js';
import { trainBpe } from './train-bpe.js';

/** Contents of the two files that describe a tokenizer. */
export interface TokenizerFiles {
  readonly tokenizer: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface TokenizerRecipe {
  /** text to learn merges from */
  readonly corpus: Iterable<string>;
  /** phrases that become one token each wherever they occur; the longest match wins */
  readonly phrases: readonly string[];
  /** exact size; what the corpus does not fill is reserved */
  readonly vocabularySize: number;
  /** longest sequence in tokens, for other tools */
  readonly contextLength: number;
}

/** Cuts text into the pieces no merge crosses. Plain classes only, so that every regular-expression engine agrees. */
const piecePattern = '[0-9]|[#_√.\\n]|[A-Z](?![a-z])| ?[A-Za-z][a-z]+| ?[a-z]| ?[^A-Za-z0-9#_√.\\n ]+| +';

const pad = '<|pad|>';
const startOfTurn = '<|im_start|>';
const endOfTurn = '<|im_end|>';

const chatTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/**
 * Trains a tokenizer.
 *
 * @throws contracts.invalid_value when bytes, special tokens and phrases alone exceed the vocabulary
 */
export function trainTokenizer(recipe: TokenizerRecipe): TokenizerFiles {
  const added = [pad, startOfTurn, endOfTurn, ...new Set(recipe.phrases)];
  const room = recipe.vocabularySize - byteAlphabet.length - added.length;
  if (room < 0) {
    throw new AppError(
      'contracts.invalid_value',
      `train tokenizer: 256 bytes and ${added.length} whole tokens do not fit into a vocabulary of ${recipe.vocabularySize}`,
    );
  }
  const merges = trainBpe(countPieces(recipe.corpus, added), room);
  for (let i = merges.length; i < room; i++) added.push(`<|reserved_${i - merges.length}|>`);
  const vocabulary = [...byteAlphabet, ...merges.map(([left, right]) => left + right)];
  return {
    tokenizer: describeTokenizer(vocabulary, merges, added),
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: recipe.contextLength,
      bos_token: null,
      eos_token: endOfTurn,
      pad_token: pad,
      unk_token: null,
      add_prefix_space: false,
      clean_up_tokenization_spaces: false,
      chat_template: chatTemplate,
    },
  };
}

/** Counts the pieces between whole tokens. */
function countPieces(corpus: Iterable<string>, added: readonly string[]): Map<string, number> {
  const escaped = [...added]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // built from -- alternatives of plain text, all of them escaped: nothing repeats
  const whole = new RegExp(escaped.join('|'));
  // built from -- the constant pattern of the tokenizers that we train
  const piece = new RegExp(piecePattern, 'g');
  const counts = new Map<string, number>();
  for (const text of corpus) {
    for (const section of text.split(whole)) {
      for (const [match] of section.matchAll(piece)) counts.set(match, (counts.get(match) ?? 0) + 1);
    }
  }
  return counts;
}

function describeTokenizer(
  vocabulary: readonly string[],
  merges: readonly [string, string][],
  added: readonly string[],
) {
  const isSpecial = (text: string) => text.startsWith('<|') && text.endsWith('|>');
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map((content, i) => ({
      id: vocabulary.length + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: isSpecial(content),
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: piecePattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges: merges.map(([left, right]) => `${left} ${right}`),
    },
  };
}
