/** @file The tokenizer of a model folder as metadata of a GGUF file; one that llama.cpp would read otherwise is refused. */
import { AppError } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import type { TokenizerFiles } from '../tokenizer/train-tokenizer.js';
import type { TypedValue } from './encode-gguf.js';
import { preTokenizers } from './gguf-tokenizer.js';

type Json = Readonly<Record<string, unknown>>;
type Metadata = [key: string, value: TypedValue][];

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

const key = (name: string): string => `tokenizer.ggml.${name}`;

/**
 * Describes a tokenizer.
 *
 * @param vocabularySize rows of the embedding; those without a token are filled up
 * @throws model.malformed_tokenizer when GGUF has no name for it
 */
export function describeTokenizerMetadata(
  { tokenizer, config }: TokenizerFiles,
  vocabularySize: number,
  source: string,
): Metadata {
  const refuse = (finding: string): never => {
    const remedy = 'export to a Hugging Face folder and convert it with the tools of llama.cpp';
    throw new AppError('model.malformed_tokenizer', `${source}: ${finding}; ${remedy}`);
  };
  const model = tokenizer['model'];
  if (!isRecord(model) || model['type'] !== 'BPE' || !isRecord(model['vocab']))
    return refuse('GGUF is written for tokenizers of type BPE only');
  const added = tokenizer['added_tokens'] as readonly AddedToken[];
  const tokens = Array.from({ length: vocabularySize }, (_, id) => `[PAD${id}]`);
  const types = new Array<number>(vocabularySize).fill(5);
  const place = (token: string, id: number, type: number): void => {
    if (id >= vocabularySize)
      refuse(`token ${JSON.stringify(token)} has the id ${id}, which has no embedding`);
    tokens[id] = token;
    types[id] = type;
  };
  const hasBytes = model['byte_fallback'] === true;
  for (const [token, id] of Object.entries(model['vocab']))
    place(token, Number(id), hasBytes && /^<0x[0-9A-F]{2}>$/.test(token) ? 6 : 1);
  for (const { content, id, special } of added)
    place(content, id, content === model['unk_token'] ? 2 : special === true ? 3 : 4);
  const merges = (model['merges'] as readonly (string | readonly string[])[]).map((merge) =>
    typeof merge === 'string' ? merge.split(' ') : merge,
  );
  const rest = hasBytes
    ? describePieces(tokenizer, merges, tokens, refuse)
    : describeBytes(tokenizer, model, merges, refuse);
  return [
    ...rest,
    [key('tokens'), ['strings', tokens]],
    [key('token_type'), ['int32s', types]],
    ...describeSpecial(config, tokens),
    [key('add_bos_token'), ['bool', startsTexts(tokenizer, config)]],
    ...describeTemplates(config['chat_template']),
  ];
}

function describeBytes(
  tokenizer: Json,
  model: Json,
  merges: readonly (readonly string[])[],
  refuse: (finding: string) => never,
): Metadata {
  const ignoresMerges = model['ignore_merges'] === true;
  const found = Object.entries(preTokenizers).find(
    ([, one]) =>
      essence(one.steps) === essence(tokenizer['pre_tokenizer']) &&
      essence(one.normalizer ?? null) === essence(tokenizer['normalizer'] ?? null) &&
      (one.ignoresMerges ?? false) === ignoresMerges,
  );
  if (found === undefined)
    return refuse('GGUF has no name for how tokenizer.json cuts text ("pre_tokenizer" and "normalizer")');
  return [
    [key('model'), ['string', 'gpt2']],
    [key('pre'), ['string', found[0]]],
    [key('merges'), ['strings', merges.map((pair) => pair.join(' '))]],
    [key('add_space_prefix'), ['bool', false]],
  ];
}

/** What decides how text is cut, without what only concerns offsets. */
function essence(step: unknown): string {
  return JSON.stringify(step, (name, value: unknown) => {
    if (name === 'trim_offsets') return undefined;
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Pieces of SentencePiece: the earlier a merge, the higher the score of what it makes. */
function describePieces(
  { normalizer, pre_tokenizer: preTokenizer }: Json,
  merges: readonly (readonly string[])[],
  tokens: readonly string[],
  refuse: (finding: string) => never,
): Metadata {
  const steps: unknown[] = isRecord(normalizer)
    ? ((normalizer['normalizers'] as unknown[]) ?? [normalizer])
    : [];
  const [replace, prepend] = [replaceSpaces, { type: 'Prepend', prepend: '▁' }].map(essence);
  const isKnown = [`${replace}`, `${prepend},${replace}`].includes(steps.map(essence).join());
  const cutsNothing = (preTokenizer ?? null) === null || essence(preTokenizer) === essence(cutAtSpaces);
  if (!isKnown || !cutsNothing)
    return refuse('GGUF has no name for how tokenizer.json treats spaces ("normalizer" and "pre_tokenizer")');
  const ranks = new Map<string, number>();
  merges.forEach((pair, rank) => {
    const token = pair.join('');
    if (!ranks.has(token)) ranks.set(token, rank);
  });
  return [
    [key('model'), ['string', 'llama']],
    [key('pre'), ['string', 'default']],
    [key('scores'), ['float32s', tokens.map((token) => -(ranks.get(token) ?? 0))]],
    [key('add_space_prefix'), ['bool', steps.length === 2]],
  ];
}

/** Finds nothing to cut, because no spaces are left by then; Gemma's tokenizers have it. */
const cutAtSpaces = {
  type: 'Split',
  pattern: { String: ' ' },
  behavior: 'MergedWithPrevious',
  invert: false,
};
const replaceSpaces = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };

function describeSpecial(config: Json, tokens: readonly string[]): Metadata {
  const names = { bos: 'bos_token', eos: 'eos_token', padding: 'pad_token', unknown: 'unk_token' };
  const metadata: Metadata = [];
  for (const [name, from] of Object.entries(names)) {
    const value = config[from];
    const text = isRecord(value) ? value['content'] : value;
    const id = typeof text === 'string' ? tokens.indexOf(text) : -1;
    if (id >= 0) metadata.push([key(`${name}_token_id`), ['uint32', id]]);
  }
  return metadata;
}

/** Whether tools put the first token before a text: what runs, else what the configuration says. */
function startsTexts(tokenizer: Json, config: Json): boolean {
  const processor = tokenizer['post_processor'];
  const start = config['bos_token'];
  const text = isRecord(start) ? start['content'] : start;
  if (typeof text !== 'string') return false;
  const steps: unknown[] = isRecord(processor) ? ((processor['processors'] as unknown[]) ?? [processor]) : [];
  const template = steps.find((step) => isRecord(step) && step['type'] === 'TemplateProcessing') as
    | Json
    | undefined;
  if (template === undefined) return config['add_bos_token'] === true;
  const [first] = (template['single'] ?? []) as readonly Readonly<Record<string, Json>>[];
  return first?.['SpecialToken']?.['id'] === text;
}

/** One template, or several of which each has a name. */
function describeTemplates(templates: unknown): Metadata {
  const base = 'tokenizer.chat_template';
  if (typeof templates === 'string') return [[base, ['string', templates]]];
  if (!Array.isArray(templates)) return [];
  const given = templates as readonly { readonly name: string; readonly template: string }[];
  const others = given.filter(({ name }) => name !== 'default');
  return [
    ...given.map(({ name, template }): Metadata[number] => [
      name === 'default' ? base : `${base}.${name}`,
      ['string', template],
    ]),
    [`${base}s`, ['strings', others.map(({ name }) => name)]],
  ];
}
