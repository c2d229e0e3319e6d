/** @file A tokenizer on disk: tokenizer.json, tokenizer_config.json, and chat_template.jinja where there is one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type Tokenizer } from '@espalier/contracts';
import { loadModelJson } from '../weights/model-config.js';
import { saveWholeFile } from '@espalier/files';
import { createTokenizer, type TokenizerOptions } from './tokenizer.js';
import type { TokenizerFiles } from './train-tokenizer.js';

/** Files of a model folder that belong to its tokenizer, whether needed here or not. */
export const tokenizerFileNames = [
  'tokenizer.json',
  'tokenizer_config.json',
  'tokenizer.model',
  'chat_template.jinja',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
] as const;

/** Reads the tokenizer of a model folder. @throws model.malformed_tokenizer */
export function loadTokenizer(folder: string, options: TokenizerOptions = {}): Tokenizer {
  const opened = createTokenizer(loadTokenizerFiles(folder), folder, options);
  const stopTokens = [opened.endOfTurn, ...loadStopTokens(folder)];
  const endOfTurn = findTurnEnd(opened, stopTokens) ?? opened.endOfTurn;
  return { ...opened, endOfTurn, stopTokens: [...new Set([endOfTurn, ...stopTokens])] };
}

/**
 * The first stop token behind a reply that the chat template writes. It need not be `eos_token`: Gemma's is `<eos>`, and its
 * template ends turns with `<end_of_turn>`.
 */
function findTurnEnd(
  { renderMessages, encode, continuation }: Tokenizer,
  stopTokens: readonly number[],
): number | undefined {
  const reply = 'SLOTREPLY';
  let rendered: string;
  try {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: reply },
      { role: 'user', content: 'b' },
    ] as const;
    rendered = renderMessages(messages, { generation: true });
  } catch {
    return undefined; // no template, or one for other roles: that is said where messages are rendered
  }
  const at = rendered.indexOf(reply);
  if (at < 0) return undefined;
  const behind = rendered.slice(at + reply.length);
  return (continuation?.encode(behind) ?? encode(behind)).find((id) => stopTokens.includes(id));
}

/** Reads the files of a tokenizer; the configuration has the chat template. @throws model.malformed_tokenizer */
export function loadTokenizerFiles(folder: string): TokenizerFiles {
  const tokenizer = loadObject(join(folder, 'tokenizer.json'));
  const config = loadObject(join(folder, 'tokenizer_config.json'));
  const templatePath = join(folder, 'chat_template.jinja');
  const template = existsSync(templatePath) ? { chat_template: readFileSync(templatePath, 'utf8') } : {};
  return { tokenizer, config: { ...config, ...template } };
}

/**
 * Ids at which the model stops: those of generation_config.json or, where that file is missing, of config.json, as
 * transformers reads them; loadModelConfig checks both.
 */
function loadStopTokens(folder: string): number[] {
  const paths = ['generation_config.json', 'config.json'].map((name) => join(folder, name));
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) return [];
  const value = loadModelJson(path) as { eos_token_id?: unknown } | null;
  const ids = [value?.eos_token_id].flat();
  return ids.filter((id): id is number => Number.isInteger(id));
}

/** Writes tokenizer.json and tokenizer_config.json, each whole or not at all. */
export function saveTokenizer(folder: string, files: TokenizerFiles): void {
  for (const [name, text] of describeTokenizerFiles(files)) saveWholeFile(join(folder, name), text);
}

/** The texts of tokenizer.json and tokenizer_config.json by name. */
export function describeTokenizerFiles({ tokenizer, config }: TokenizerFiles): [string, string][] {
  return [
    ['tokenizer.json', `${JSON.stringify(tokenizer, null, 1)}\n`],
    ['tokenizer_config.json', `${JSON.stringify(config, null, 2)}\n`],
  ];
}

function loadObject(path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const finding = existsSync(path)
      ? 'not JSON; copy or download the file again'
      : 'the file is missing; a model folder needs it';
    throw new AppError('model.malformed_tokenizer', `${path}: ${finding}`, { details: { path }, cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError(
      'model.malformed_tokenizer',
      `${path}: not a JSON object; copy or download the file again`,
      { details: { path } },
    );
  }
  return value as Record<string, unknown>;
}
