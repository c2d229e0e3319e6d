/** @file The model of the hub that a run began with. */
import { AppError, type RunSpec } from '@espalier/contracts';
import { type HubModel, isHubModel } from '@espalier/contracts/model-choice';
import { findRecordedSpec } from './recorded-run.js';
import { findRunFolder } from './run-folder.js';
import { loadModelRevision } from './run-origin.js';

/**
 * The commit that a resumed run began with, even if its branch has moved since.
 *
 * @param spec of the configuration
 * @param out folder of the run, if one was named
 * @returns undefined when the run or the configuration has another model than one of the hub
 * @throws trainer.resume_mismatch when the configuration names another revision than it did
 */
export function pinnedModel({ name, model }: RunSpec, out: string | undefined): HubModel | undefined {
  if (!isHubModel(model)) return undefined;
  const folder = findRunFolder(name, out).path;
  const { model: recorded } = findRecordedSpec(folder) ?? { model };
  if (!isHubModel(recorded) || recorded.hub !== model.hub) return undefined;
  const began = loadModelRevision(folder);
  // what a run that was killed at its start had named is not known
  const isUnknown = began === undefined && !/^[0-9a-f]{40}$/.test(model.revision);
  if (isUnknown || [recorded.revision, began].includes(model.revision)) return recorded;
  const was = began === undefined || began === recorded.revision ? '' : ` (${began} at its start)`;
  throw new AppError(
    'trainer.resume_mismatch',
    `resume run "${folder}": model.revision is ${model.revision}, the run has ${recorded.revision}${was}; a resumed run keeps its model: name its revision, or start a new run`,
  );
}
