import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ModelLimits } from '@espalier/config';
import { findPlugin, readModelLimits } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { describeModelChoice, type ModelChoice } from '@espalier/contracts/model-choice';
import { nearestKey } from '@espalier/contracts/nearest-key';
import type { ModelConfig } from '@espalier/model';
import { type FoundModel, resolveModelFolder } from '@espalier/trainer';
import type { Console } from '../console.js';
import type { Registry } from '../workspace.js';

/** A model as far as it is known before its weights are read. */
export interface OpenedModel {
  /** names the same files later: the model folder of a run or checkpoint, the commit of a branch */
  readonly choice: ModelChoice;
  readonly folder: string;
  readonly config: ModelConfig;
  readonly limits: ModelLimits;
  /** checkpoints of a run that were skipped */
  readonly corrupt: FoundModel['corrupt'];
}

/**
 * Opens the folder of a model: that of a plugin, or a path to a model, checkpoint or run.
 *
 * @param place where the model was named, for messages
 * @param options `needsTemplate: false` takes a tokenizer without a chat template
 * @throws plugin.not_found, trainer.corrupt_checkpoint, trainer.nothing_to_resume, model.not_found, model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export async function openModel(
  choice: ModelChoice,
  registry: Registry,
  place?: string,
  options: { readonly needsTemplate?: boolean } = {},
): Promise<OpenedModel> {
  const found = findModel(choice, registry, place);
  return { ...found, ...readModelLimits(found.folder, options) };
}

/** Names the checkpoints of a run that were skipped; they are left as they are. */
export function noteCorrupt({ folder, corrupt }: OpenedModel, console: Console): void {
  for (const { message } of corrupt) console.note(`note: ${message}; skipped, using ${folder}`);
}

function findModel(
  choice: ModelChoice,
  registry: Registry,
  place: string | undefined,
): FoundModel & Pick<OpenedModel, 'choice'> {
  if ('use' in choice) {
    const { use, ...options } = choice;
    findPlugin(registry, 'model', use, 'model.use');
    return { choice, folder: registry.get('model', use).folder(options), corrupt: [] };
  }
  if ('hub' in choice)
    throw new AppError('model.not_found', `open model ${describeModelChoice(choice)}: not downloaded`);
  const { path } = choice;
  if (!existsSync(path) || !statSync(path).isDirectory()) throw modelNotFound(path, registry, place);
  const found = resolveModelFolder(path);
  return { choice: { path: found.folder }, ...found };
}

function modelNotFound(path: string, registry: Registry, place: string | undefined): AppError {
  const ids = registry.list().flatMap(({ kind, id }) => (kind === 'model' ? [id] : []));
  const near = nearestKey(basename(path), ids);
  const remedy =
    near === undefined
      ? `name a model plugin (${ids.join(', ') || 'none is installed'}), or a folder with config.json`
      : `did you mean ${near}?`;
  return new AppError(
    'model.not_found',
    `${place === undefined ? '' : `${place}: `}open model "${path}": no such folder; ${remedy}`,
    {
      details: { folder: path, installed: ids },
    },
  );
}
