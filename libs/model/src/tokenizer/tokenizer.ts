/**
 * @file Text to ids and back for any tokenizer.json, and its chat template.
 * The algorithms are those of `@huggingface/tokenizers` and `@huggingface/jinja`; here they are checked, named and
 * given the one interface the rest of the code knows. Special tokens are never added and never hidden.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { BudgetError, openBoundedTemplate, RaisedError } from './bounded-template.js';
import { type Coder, createContinuation, withFaithfulDecoder, withoutPrefixSpace } from './continuation.js';
import { findTokenizerFlaw } from './check-tokenizer-files.js';
import { applyCharacterMaps } from './precompiled-normalizer.js';
import type { TokenizerFiles } from './train-tokenizer.js';

export interface TokenizerOptions {
  /** false: a missing chat template is an error only where messages are rendered */
  readonly needsTemplate?: boolean;
}

/**
 * Creates a tokenizer from the parsed contents of tokenizer.json and tokenizer_config.json.
 *
 * @param source folder or name for errors
 * @throws model.malformed_tokenizer
 */
export function createTokenizer(
  files: TokenizerFiles,
  source = 'tokenizer',
  { needsTemplate = true }: TokenizerOptions = {},
): Tokenizer {
  const inner = openTokenizer(files, source);
  const idOf = (key: string) => tokenId(inner, files, key, source);
  const endOfTurn = idOf('eos_token');
  if (endOfTurn === undefined)
    throw malformed(source, 'tokenizer_config.json has no "eos_token"; name the token that ends a turn');
  const render = openTemplate(files, source, needsTemplate);
  let vocabularySize = 0;
  for (const id of inner.get_vocab().values()) vocabularySize = Math.max(vocabularySize, id + 1);
  const coder = createCoder(inner, source);
  const pad = idOf('pad_token') ?? endOfTurn;
  return {
    vocabularySize,
    embeddingRows: countRows(vocabularySize, files, [endOfTurn, pad]),
    endOfTurn,
    stopTokens: [endOfTurn],
    pad,
    ...coder,
    continuation: openContinuation(coder, files, source),
    hasPhrases: hasPhrases(files),
    renderMessages: render,
  };
}

/** Leaves out the last ids if they are special tokens that a run does not use. */
function countRows(vocabularySize: number, { tokenizer }: TokenizerFiles, used: readonly number[]): number {
  const added = (tokenizer['added_tokens'] ?? []) as readonly { id: number; special?: boolean }[];
  const special = new Set(added.filter((token) => token.special === true).map(({ id }) => id));
  let rows = vocabularySize;
  while (special.has(rows - 1) && !used.includes(rows - 1)) rows--;
  return rows;
}

/** Ordinary tokens of several words; published models have none. */
function hasPhrases({ tokenizer }: TokenizerFiles): boolean {
  const added = tokenizer['added_tokens'] as { readonly content: string; readonly special?: unknown }[];
  return added.some(({ content, special }) => special !== true && /[a-z] [a-z]/i.test(content));
}

function createCoder(inner: HuggingFaceTokenizer, source: string): Coder {
  return {
    encode: (text) =>
      attempt('encode a text', () => (text === '' ? new Int32Array(0) : encodeText(inner, text)), source),
    decode: (tokens) =>
      attempt('decode tokens', () => (tokens.length === 0 ? '' : decodeTokens(inner, tokens)), source),
  };
}

function openContinuation(whole: Coder, files: TokenizerFiles, source: string): Tokenizer['continuation'] {
  const tokenizer = withoutPrefixSpace(files.tokenizer);
  if (tokenizer === undefined) return undefined;
  const plain = createCoder(openTokenizer({ ...files, tokenizer }, source), source);
  const unknown = tokenText(files.config, 'unk_token');
  const tokens = tokenizer['added_tokens'] as { id: number; content: string }[];
  // the unknown token also stands for ordinary characters
  const added = tokens.filter(({ content }) => content !== unknown);
  return createContinuation(whole, plain, new Map(added.map(({ id, content }) => [id, content])));
}

function openTokenizer(files: TokenizerFiles, source: string): HuggingFaceTokenizer {
  const flaw = findTokenizerFlaw(files.tokenizer);
  if (flaw !== undefined) throw malformed(source, `tokenizer.json ${flaw}; copy or download the file again`);
  try {
    const inner = new HuggingFaceTokenizer(withFaithfulDecoder(files.tokenizer), files.config);
    applyCharacterMaps(inner.normalizer);
    return inner;
  } catch (cause) {
    throw malformed(
      source,
      `tokenizer.json cannot be used (${cause instanceof Error ? cause.message : String(cause)}); copy or download the file again`,
      cause,
    );
  }
}

function encodeText(inner: HuggingFaceTokenizer, text: string): Int32Array {
  const { ids } = inner.encode(text, { add_special_tokens: false }) as { ids: number[] };
  const wrong = ids.findIndex((id) => !Number.isInteger(id) || id < 0);
  if (wrong >= 0) throw new RangeError(`a piece of the text has no id: ${String(ids[wrong])}`);
  return Int32Array.from(ids);
}

function decodeTokens(inner: HuggingFaceTokenizer, tokens: ArrayLike<number>): string {
  return inner.decode(Array.from(tokens), { clean_up_tokenization_spaces: false });
}

/** Whatever the library throws comes from the file: its settings contradict each other. */
function attempt<T>(what: string, work: () => T, source: string): T {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw malformed(
      source,
      `tokenizer.json cannot ${what} (${reason}); copy or download the file again`,
      cause,
    );
  }
}

function tokenText(config: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = config[key];
  const text = typeof value === 'object' && value !== null ? (value as { content?: unknown }).content : value;
  return typeof text === 'string' ? text : undefined;
}

function tokenId(
  inner: HuggingFaceTokenizer,
  files: TokenizerFiles,
  key: string,
  source: string,
): number | undefined {
  const text = tokenText(files.config, key);
  if (text === undefined) return undefined;
  const id = inner.token_to_id(text);
  if (id === undefined)
    throw malformed(
      source,
      `${key} "${text}" of tokenizer_config.json is not in the vocabulary; both files must come from the same model`,
    );
  return id;
}

/** Several named templates may be given; the one for plain chat is called `default`. */
export function templateText(config: Readonly<Record<string, unknown>>): string | undefined {
  const value = config['chat_template'];
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const named = value as { name?: unknown; template?: unknown }[];
  const template = named.find(({ name }) => name === 'default')?.template;
  return typeof template === 'string' ? template : undefined;
}

function openTemplate(
  { config }: TokenizerFiles,
  source: string,
  isNeeded: boolean,
): Tokenizer['renderMessages'] {
  const text = templateText(config);
  if (text === undefined) {
    const refuse = (): never => {
      const remedy = 'give "chat_template" in tokenizer_config.json or a file chat_template.jinja';
      throw malformed(source, `there is no chat template; ${remedy}`);
    };
    return isNeeded ? refuse() : refuse;
  }
  const special = Object.fromEntries(
    ['bos_token', 'eos_token', 'pad_token', 'unk_token'].map((key) => [key, tokenText(config, key) ?? '']),
  );
  let template: ReturnType<typeof openBoundedTemplate>;
  try {
    template = openBoundedTemplate(text);
  } catch (cause) {
    throw malformed(source, `the chat template cannot be read (${reasonOf(cause)}); correct it`, cause);
  }
  const render: Tokenizer['renderMessages'] = (messages, { generation, variables }) => {
    try {
      return template({
        ...absent,
        ...special,
        ...variables,
        messages: messages.map((message) => ({ ...message })),
        add_generation_prompt: generation,
      });
    } catch (cause) {
      if (cause instanceof BudgetError) {
        const finding = `the chat template does not end (${cause.message})`;
        throw malformed(source, `${finding}; correct its loops, or take the template of the model`, cause);
      }
      if (!(cause instanceof RaisedError))
        throw malformed(
          source,
          `the chat template cannot be rendered (${reasonOf(cause)}); correct it, or take the template of the model`,
          cause,
        );
      throw malformed(
        source,
        `the chat template refuses ${messages.map(({ role }) => role).join(', ')} (${reasonOf(cause)}); choose a template for this order of roles`,
        cause,
      );
    }
  };
  probe(render);
  return render;
}

/** What transformers gives every template as None; without them "tools is not none" would be true. */
const absent = { tools: null, documents: null };

/** One that never ends shows before a run begins; which roles it takes is not asked here. */
function probe(render: Tokenizer['renderMessages']): void {
  try {
    render([{ role: 'user', content: 'a' }], { generation: true });
  } catch (error) {
    if ((error as Error).cause instanceof BudgetError) throw error;
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const malformed = (source: string, finding: string, cause?: unknown) =>
  new AppError('model.malformed_tokenizer', `${source}: ${finding}`, { details: { source }, cause });
