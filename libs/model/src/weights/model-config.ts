/** @file The configuration of a model folder: config.json, and the ids that generation_config.json repeats. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { findForeignToken, parseModelConfig } from '../families/families.js';
import type { ModelConfig } from '../families/model-family.js';

/**
 * Reads and checks the configuration of a model folder, without its weights.
 *
 * @throws model.malformed_config (files), model.unsupported_config (what they say)
 */
export function loadModelConfig(folder: string): ModelConfig {
  const path = join(folder, 'config.json');
  const config = parseModelConfig(loadModelJson(path), path);
  const generation = join(folder, 'generation_config.json');
  if (!existsSync(generation)) return config;
  const value = loadModelJson(generation);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(generation, 'not a JSON object; copy or download the file again');
  const foreign = findForeignToken(value, config.shape.vocabularySize);
  if (foreign !== undefined) throw new AppError('model.unsupported_config', `${generation}: ${foreign}`);
  return config;
}

/** Reads a JSON file of a model folder. @throws model.malformed_config */
export function loadModelJson(path: string): unknown {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    return JSON.parse(text);
  } catch (cause) {
    const finding = existsSync(path)
      ? text.startsWith('version https://git-lfs')
        ? 'it is a pointer of Git LFS, which stands for the file; fetch it with `git lfs pull`'
        : 'not JSON; copy or download the file again'
      : 'the file is missing; a model folder needs it';
    throw malformed(path, finding, cause);
  }
}

const malformed = (path: string, finding: string, cause?: unknown): AppError =>
  new AppError('model.malformed_config', `${path}: ${finding}`, { details: { path }, cause });
