import {
  applyOverrides,
  type ConfigInput,
  loadConfig,
  type ResolvedRun,
  resolveRunSpec,
} from '@espalier/config';
import type { RunSpec } from '@espalier/contracts';
import { type ModelChoice, modelKeys } from '@espalier/contracts/model-choice';
import { type OpenedModel, openModel } from './open-model.js';
import type { Console } from '../console.js';
import type { Registry } from '../workspace.js';

/** A run that could start: its spec and its model. */
export interface PlannedRun extends ResolvedRun {
  readonly model: OpenedModel;
  /** the model as the configuration names it */
  readonly named: ModelChoice;
}

export interface PlanParts {
  readonly registry: Registry;
  /** shows a download */
  readonly console: Console;
  /** takes the place of the model of the configuration */
  readonly model?: ModelChoice;
  /** gives the model that a resumed run began with, where it takes the place of the named one */
  readonly pin?: (spec: RunSpec) => ModelChoice | undefined;
}

/**
 * Reads a configuration (a file, or one that was read) with overrides and resolves it against the installed plugins and
 * the model. Everything else is validated before the model is opened.
 *
 * @throws every error of bad input, before anything is written
 */
export async function planRun(
  source: string | ConfigInput,
  overrides: readonly string[],
  { registry, console, model, pin }: PlanParts,
): Promise<PlannedRun> {
  const replaced = model === undefined ? overrides : [...overrides, `model=${JSON.stringify(model)}`];
  const input = applyOverrides(typeof source === 'string' ? loadConfig(source) : source, replaced);
  const { spec } = resolveRunSpec(input, registry);
  const pinned = pin?.(spec) ?? spec.model;
  const opened = await openModel(pinned, registry, console, locateModel(input));
  const { limits, choice } = opened;
  return { ...resolveRunSpec(input, registry, () => ({ limits, choice })), model: opened, named: spec.model };
}

/** Where the model was written, for messages. */
function locateModel({ file, origins, positions }: ConfigInput): string | undefined {
  const key = modelKeys.find((name) => origins.has(`model.${name}`));
  if (key === undefined || origins.get(`model.${key}`) === '--set') return undefined;
  const position = positions.get(`model.${key}`) ?? positions.get('model');
  return position === undefined ? undefined : `${file}:${position}`;
}
