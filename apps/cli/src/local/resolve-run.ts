import {
  applyOverrides,
  type ConfigInput,
  isModelFolder,
  loadConfig,
  type ResolvedRun,
  resolveRunSpec,
} from '@espalier/config';
import { type OpenedModel, openModel } from './open-model.js';
import type { Registry } from '../workspace.js';

/** A run that could start: its spec and its model. */
export interface PlannedRun extends ResolvedRun {
  readonly model: OpenedModel;
}

/**
 * Reads a configuration (a file, or one that was read) with overrides and resolves it against the installed plugins and the model.
 *
 * @param model takes the place of `model.use`
 * @throws every error of bad input, before anything is written
 */
export function planRun(
  source: string | ConfigInput,
  overrides: readonly string[],
  registry: Registry,
  model?: string,
): PlannedRun {
  const replaced =
    model === undefined ? overrides : [...overrides, `model=${JSON.stringify({ use: model })}`];
  const input = applyOverrides(typeof source === 'string' ? loadConfig(source) : source, replaced);
  let opened: OpenedModel | undefined;
  const resolved = resolveRunSpec(input, registry, ({ use, ...options }) => {
    opened = openModel(use, options, registry, placeOfModel(input));
    return { limits: opened.limits, use: isModelFolder(use) ? asPath(opened.folder) : use };
  });
  if (opened === undefined) throw new TypeError('planRun: a spec was resolved without its model');
  return { ...resolved, model: opened };
}

/** A path may mean a run or a checkpoint; the spec names the model folder that was found there. */
const asPath = (folder: string): string => (folder.includes('/') ? folder : `./${folder}`);

/** Where `model.use` was written, for messages. */
function placeOfModel({ file, origins, positions }: ConfigInput): string | undefined {
  if (origins.get('model.use') === '--set') return undefined;
  const position = positions.get('model.use') ?? positions.get('model');
  return position === undefined ? undefined : `${file}:${position}`;
}
