/** @file A model that a spec names by its folder has to lie on the host of the worker, below one of its model roots. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isModelFolder } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import { isBelowModelRoot } from '@espalier/telemetry';
import type { RunStart } from '../artifacts/fetch-run.js';
import type { WorkerOptions } from '../worker-options.js';

/**
 * Refuses to begin a training whose model folder is not here, or not for runs; a new try at this worker would meet the
 * same. The message names no folder but the one of the spec.
 *
 * @param start a fork has its model from the server
 * @throws model.not_allowed, model.not_found naming folder and host
 */
export function requireModel(
  { runId, spec }: Assignment,
  start: RunStart,
  { name, data, modelRoots }: Pick<WorkerOptions, 'name' | 'data' | 'modelRoots'>,
): void {
  const { use } = (spec['model'] ?? {}) as { readonly use?: unknown };
  if (start.model !== undefined || typeof use !== 'string' || !isModelFolder(use)) return;
  const details = { folder: use, host: hostname() };
  if (!isBelowModelRoot(use, { roots: modelRoots, excluded: [data] }))
    throw new AppError(
      'model.not_allowed',
      `begin run ${runId}: no model root of the worker ${name} (host ${hostname()}) has the model "${use}"; add its folder to the setting modelRoots of that worker and resume the run (\`espalier run resume ${runId}\`), or make the run anew with needs.labels that only workers with the model have`,
      { details },
    );
  if (statSync(use, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AppError(
    'model.not_found',
    `begin run ${runId}: its model "${use}" is no folder on the host ${hostname()} (worker ${name}); copy the folder to that path there and resume the run (\`espalier run resume ${runId}\`), or make the run anew with needs.labels that only workers with the folder have`,
    { details },
  );
}
