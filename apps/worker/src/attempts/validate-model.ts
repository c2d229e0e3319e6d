/** @file A model folder that a spec names must exist on the host of the worker, below one of its model roots. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { AppError } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import { isBelowModelRoot } from '@espalier/files';
import type { RunStart } from '../artifacts/fetch-run.js';
import type { WorkerOptions } from '../worker-options.js';

/**
 * Checks that the model folder of a training run exists here and that runs may use it; a retry on this worker would fail
 * in the same way. The message names no folder except the one in the spec.
 *
 * @param start a fork gets its model from the server
 * @throws model.not_allowed, model.not_found naming folder and host
 */
export function validateModel(
  { runId, spec }: Assignment,
  start: RunStart,
  { name, data, modelRoots }: Pick<WorkerOptions, 'name' | 'data' | 'modelRoots'>,
): void {
  const { path } = (spec['model'] ?? {}) as { readonly path?: unknown };
  if (start.model !== undefined || typeof path !== 'string') return;
  const details = { folder: path, host: hostname() };
  if (!isBelowModelRoot(path, { roots: modelRoots, excluded: [data] }))
    throw new AppError(
      'model.not_allowed',
      `start run ${runId}: the model "${path}" is below no model root of the worker ${name} (host ${hostname()}); add its folder to the setting modelRoots of that worker and resume the run (\`espalier run resume ${runId}\`), or create a new run with needs.labels that only workers with the model have`,
      { details },
    );
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AppError(
    'model.not_found',
    `start run ${runId}: its model "${path}" is not a folder on the host ${hostname()} (worker ${name}); copy the folder to that path there and resume the run (\`espalier run resume ${runId}\`), or create a new run with needs.labels that only workers with the folder have`,
    { details },
  );
}
