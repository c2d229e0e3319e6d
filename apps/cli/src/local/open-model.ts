import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ModelLimits } from '@espalier/config';
import { findAdapterBase, findPlugin } from '@espalier/config';
import { needsBase, readModelLimits } from '@espalier/config/model-limits';
import { AppError } from '@espalier/contracts';
import {
  type FolderModel,
  type HubModel,
  isHubModel,
  type ModelChoice,
  type PluginModel,
  rootOf,
} from '@espalier/contracts/model-choice';
import { nearestKey } from '@espalier/contracts/nearest-key';
import type { ModelConfig } from '@espalier/model';
import { type FoundModel, resolveModelFolder } from '@espalier/trainer';
import type { Console } from '../console.js';
import { downloadHubModel } from './hub-model.js';
import type { Registry } from '../workspace.js';

/** A model as far as it is known before its weights are read. */
export interface OpenedModel {
  /** names the same files later: the model folder of a run or checkpoint, the commit of a branch */
  readonly choice: ModelChoice;
  readonly folder: string;
  /** folder of the whole model that an adapter in `folder` was trained on */
  readonly base: string | undefined;
  readonly config: ModelConfig;
  readonly limits: ModelLimits;
  /** checkpoints of a run that were skipped */
  readonly corrupt: FoundModel['corrupt'];
}

/**
 * Opens the folder of a model: that of a plugin, a path to a model, checkpoint or run, or a download.
 *
 * @param console shows a download
 * @param place where the model was named, for messages
 * @param options `needsTemplate: false` takes a tokenizer without a chat template
 * @throws hub.*, plugin.not_found, trainer.corrupt_checkpoint, model.not_found, model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export async function openModel(
  choice: ModelChoice,
  registry: Registry,
  console: Console,
  place?: string,
  options: { readonly needsTemplate?: boolean } = {},
): Promise<OpenedModel> {
  const found = isHubModel(choice) ? await findHubModel(choice, console) : findModel(choice, registry, place);
  const adapted = await openBase(found, 'base' in choice ? choice.base : undefined, registry, console);
  return { ...adapted, ...readModelLimits(found.folder, options) };
}

type AdaptedModel = NamedModel & Pick<OpenedModel, 'base'>;

/** Opens what an adapter was trained on: as it is named, else as the run of the checkpoint recorded it. */
async function openBase(
  found: NamedModel,
  given: unknown,
  registry: Registry,
  console: Console,
): Promise<AdaptedModel> {
  const { folder } = found;
  if (!needsBase(folder)) {
    if (given === undefined) return { ...found, base: undefined };
    throw new AppError(
      'model.adapter_mismatch',
      `open model "${folder}": a base is named, but the folder has weights of its own; leave out the base`,
      { details: { folder } },
    );
  }
  const named = given === undefined ? findAdapterBase(folder) : (given as ModelChoice);
  if (named === undefined)
    throw new AppError(
      'model.adapter_mismatch',
      `open model "${folder}": it is an adapter, and in no checkpoint of a run that names its base; merge it with \`espalier model merge\``,
      { details: { adapter: folder } },
    );
  const { choice, ...opened } = await openModel(named, registry, console, `base of ${folder}`, {
    needsTemplate: false,
  });
  return {
    ...found,
    choice: { path: folder, base: rootOf(choice) },
    base: opened.base ?? opened.folder,
  };
}

/** Names the checkpoints of a run that were skipped; they are left as they are. */
export function noteCorrupt({ folder, corrupt }: OpenedModel, console: Console): void {
  for (const { message } of corrupt) console.note(`note: ${message}; skipped, using ${folder}`);
}

type NamedModel = FoundModel & Pick<OpenedModel, 'choice'>;

/** The choice names the commit, so that a run that is resumed or forked uses the same files. */
async function findHubModel({ hub, revision }: HubModel, console: Console): Promise<NamedModel> {
  const { folder, commit } = await downloadHubModel({ hub, revision }, console);
  return { choice: { hub, revision: commit }, folder, corrupt: [] };
}

function findModel(
  choice: PluginModel | FolderModel,
  registry: Registry,
  place: string | undefined,
): NamedModel {
  if ('use' in choice) {
    const { use, ...options } = choice;
    findPlugin(registry, 'model', use, 'model.use');
    return { choice, folder: registry.get('model', use).folder(options), corrupt: [] };
  }
  const { path } = choice;
  if (!existsSync(path) || !statSync(path).isDirectory()) throw modelNotFound(path, registry, place);
  const found = resolveModelFolder(path);
  return { choice: { path: found.folder }, ...found };
}

function modelNotFound(path: string, registry: Registry, place: string | undefined): AppError {
  const ids = registry.list().flatMap(({ kind, id }) => (kind === 'model' ? [id] : []));
  const near = nearestKey(basename(path), ids);
  const isRepository = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/.test(path);
  const remedy = isRepository
    ? `a model of the hub is named hub:${path} on the command line, and model: { hub: ${path} } in a spec`
    : near === undefined
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
