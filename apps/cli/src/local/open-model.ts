import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ModelLimits } from '@espalier/config';
import { findPlugin, isModelFolder, readModelLimits } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { nearestKey } from '@espalier/contracts/nearest-key';
import type { ModelConfig } from '@espalier/model';
import { type FoundModel, resolveModelFolder } from '@espalier/trainer';
import type { Console } from '../console.js';
import type { Registry } from '../workspace.js';

/** A model as far as it is known before its weights are read. */
export interface OpenedModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly limits: ModelLimits;
  /** checkpoints of a run that were skipped */
  readonly corrupt: FoundModel['corrupt'];
}

/**
 * Opens the folder of a model that `use` names: a plugin, or a path to a model, checkpoint or run.
 *
 * @param options of the plugin
 * @param place where `use` was written, for messages
 * @throws plugin.not_found, trainer.corrupt_checkpoint, trainer.nothing_to_resume, model.not_found, model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export function openModel(use: string, options: unknown, registry: Registry, place?: string): OpenedModel {
  const { folder, corrupt } = findModel(use, options, registry, place);
  return { folder, corrupt, ...readModelLimits(folder) };
}

/** Names the checkpoints of a run that were skipped; they are left as they are. */
export function noteCorrupt({ folder, corrupt }: OpenedModel, console: Console): void {
  for (const { message } of corrupt) console.note(`note: ${message}; skipped, using ${folder}`);
}

function findModel(use: string, options: unknown, registry: Registry, place: string | undefined): FoundModel {
  if (isModelFolder(use)) {
    if (existsSync(use) && statSync(use).isDirectory()) return resolveModelFolder(use);
    throw modelNotFound(use, registry, place);
  }
  findPlugin(registry, 'model', use, 'model.use');
  return { folder: registry.get('model', use).folder(options), corrupt: [] };
}

function modelNotFound(use: string, registry: Registry, place: string | undefined): AppError {
  const ids = registry.list().flatMap(({ kind, id }) => (kind === 'model' ? [id] : []));
  const near = nearestKey(basename(use), ids);
  const remedy =
    near === undefined
      ? `name a model plugin (${ids.join(', ') || 'none is installed'}), or a folder with config.json`
      : `did you mean ${near}?`;
  return new AppError(
    'model.not_found',
    `${place === undefined ? '' : `${place}: `}open model "${use}": no such folder; ${remedy}`,
    {
      details: { folder: use, installed: ids },
    },
  );
}
