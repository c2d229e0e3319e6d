/** @file Which models of a spec a worker may use: folders below its model roots, and the owners on the hub that it lists. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { findAdapterBase } from '@espalier/config';
import { AppError, hasCode, runLayout } from '@espalier/contracts';
import type { ModelChoice } from '@espalier/contracts/model-choice';
import type { Assignment } from '@espalier/protocol';
import { isBelowModelRoot } from '@espalier/files';
import type { FetchedModel } from '../artifacts/fetch-run.js';
import type { WorkerOptions } from '../worker-options.js';

/**
 * Checks that the model folder of a training run exists here and that runs may use it; a retry on this worker would fail
 * in the same way. The message names no folder except the one in the spec.
 *
 * @param fetched a fork or an evaluation gets its model from the server, and the base of an adapter from the spec
 * @throws hub.not_allowed; model.not_allowed, model.not_found naming folder and host
 */
export function validateModel(
  { runId, spec }: Assignment,
  fetched: FetchedModel | undefined,
  worker: Site,
): void {
  if (fetched !== undefined && fetched.base !== 'spec') return;
  validateChoice(runId, spec['model'], worker);
}

type Site = Pick<WorkerOptions, 'name' | 'data' | 'modelRoots' | 'hubOwners'>;

function validateChoice(runId: string, model: unknown, worker: Site): void {
  const { name, data, modelRoots, hubOwners } = worker;
  const { path, base, hub } = (model ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof hub === 'string') validateOwner(runId, hub, { name, hubOwners });
  if (typeof path !== 'string') return;
  const details = { folder: path, host: hostname() };
  if (!isBelowModelRoot(path, { roots: modelRoots, excluded: [data] }))
    throw new AppError(
      'model.not_allowed',
      `start run ${runId}: the model "${path}" is below no model root of the worker ${name} (host ${hostname()}); add its folder to the setting modelRoots of that worker and resume the run (\`espalier run resume ${runId}\`), or create a new run with needs.labels that only workers with the model have`,
      { details },
    );
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    const bases = base === undefined ? listRecordedBases(path) : [base];
    for (const one of bases) validateChoice(runId, one, worker);
    return;
  }
  throw new AppError(
    'model.not_found',
    `start run ${runId}: its model "${path}" is not a folder on the host ${hostname()} (worker ${name}); copy the folder to that path there and resume the run (\`espalier run resume ${runId}\`), or create a new run with needs.labels that only workers with the folder have`,
    { details },
  );
}

/**
 * The bases that an adapter in a folder may be opened with: of a run, the training process takes a checkpoint that is
 * intact, and each holds a spec of its own. To find that one here would read all weights.
 */
function listRecordedBases(path: string): ModelChoice[] {
  const parent = join(path, runLayout.checkpoints);
  const names = existsSync(parent) ? readdirSync(parent) : [];
  const checkpoints = names.filter((name) => name.startsWith('step-')).map((name) => join(parent, name));
  const policies = [path, ...checkpoints].map((folder) => join(folder, 'policy'));
  return [path, ...policies].flatMap((folder) => readBase(folder) ?? []);
}

/** Nothing is opened for a spec that cannot be read; the training process reports it, or takes another checkpoint. */
function readBase(folder: string): ModelChoice | undefined {
  try {
    return findAdapterBase(folder);
  } catch (error) {
    if (hasCode(error, 'trainer.corrupt_run')) return undefined;
    throw error;
  }
}

/** The training process downloads; without a list, a run could fill the disk with any repository. */
function validateOwner(
  runId: string,
  hub: string,
  { name, hubOwners }: Pick<WorkerOptions, 'name' | 'hubOwners'>,
): void {
  const [owner = ''] = hub.split('/');
  if (hubOwners.includes('*') || hubOwners.includes(owner)) return;
  throw new AppError(
    'hub.not_allowed',
    `start run ${runId}: the worker ${name} (host ${hostname()}) downloads no models of "${owner}"; add the owner to its setting hubOwners and resume the run (\`espalier run resume ${runId}\`), or name a model plugin`,
    { details: { owner, host: hostname() } },
  );
}
