/** @file The families that are known, and which of them a `config.json` belongs to. */
import { AppError } from '@espalier/contracts';
import type { z } from 'zod';
import { gemma2 } from './gemma2.js';
import { gemma3 } from './gemma3.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import type { ModelConfig, ModelFamily } from './model-family.js';
import { olmo2 } from './olmo2.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';
import { smollm3 } from './smollm3.js';

/** A new family is one file next to this one, and its name here. */
export const families: readonly ModelFamily[] = [
  gemma2,
  gemma3,
  llama,
  mistral,
  olmo2,
  qwen2,
  qwen3,
  smollm3,
];

/**
 * Reads an unknown value as the configuration of a model.
 *
 * @throws model.unsupported_config naming the first key that is missing, wrong or not supported
 */
export function parseModelConfig(value: unknown, source = 'config.json'): ModelConfig {
  const refuse = (finding: string, cause?: unknown): never => {
    throw new AppError('model.unsupported_config', `${source}: ${finding}`, { cause });
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('not a JSON object; expected the configuration of a model');
  const family = findFamily(value) ?? refuse(describeUnknown(value));
  const result = family.config.safeParse(value);
  if (!result.success) return refuse(describeIssue(value, result.error.issues[0]), result.error);
  const json = result.data;
  const shape = family.shape(json, refuse);
  const foreign = findForeignToken(json, shape.vocabularySize);
  if (foreign !== undefined) refuse(foreign);
  return { family, shape, json };
}

/** `model_type` decides; `architectures` only where it is absent. */
function findFamily(value: object): ModelFamily | undefined {
  const { model_type: modelType, architectures } = value as Readonly<Record<string, unknown>>;
  if (modelType !== undefined) return families.find((family) => family.modelType === modelType);
  return families.find(
    ({ architecture }) => Array.isArray(architectures) && architectures.includes(architecture),
  );
}

function describeUnknown(value: object): string {
  const known = families.map(({ modelType }) => `"${modelType}"`).join(', ');
  const { model_type: modelType, architectures } = value as Readonly<Record<string, unknown>>;
  if (modelType !== undefined)
    return `model_type ${JSON.stringify(modelType).slice(0, 60)} is not supported; expected one of ${known}`;
  const found =
    architectures === undefined ? '' : ` and architectures is ${JSON.stringify(architectures).slice(0, 60)}`;
  return `model_type is missing${found}; expected one of ${known}`;
}

function describeIssue(value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? [];
  const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], value);
  const text = typeof found === 'number' ? String(found) : JSON.stringify(found);
  const key = path.join('.');
  const finding = found === undefined ? `${key} is missing` : `${key} is ${text.slice(0, 60)}`;
  const expectation = (issue?.message ?? 'not a configuration').replace(
    /^(Invalid input|Too small|Too big): /,
    '',
  );
  return `${finding}; ${expectation}`;
}

/**
 * Finds the id of a special token that the embedding has no row for, in a config.json or generation_config.json.
 *
 * @param vocabularySize V
 */
export function findForeignToken(value: object, vocabularySize: number): string | undefined {
  for (const key of ['bos_token_id', 'eos_token_id', 'pad_token_id'] as const) {
    const given = (value as Readonly<Record<string, unknown>>)[key] ?? [];
    const ids: readonly unknown[] = Array.isArray(given) ? given : [given];
    const foreign = ids.find(
      (id) => !(Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabularySize),
    );
    if (foreign !== undefined)
      return `${key} ${JSON.stringify(foreign)} is no token; expected an id below the vocab_size ${vocabularySize}`;
  }
  return undefined;
}
