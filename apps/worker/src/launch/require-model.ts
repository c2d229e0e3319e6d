/** @file A model that a spec names by its folder has to lie on the host of the worker; nobody sends it there. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isModelFolder } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import type { RunStart } from '../artifacts/fetch-run.js';

/**
 * Refuses to begin a training whose model folder is not here; a new try at this worker would meet the same.
 *
 * @param start  a fork has its model from the server
 * @param worker name of the worker, as a person would look for it
 * @throws model.not_found naming folder and host
 */
export function requireModel({ runId, spec }: Assignment, start: RunStart, worker: string): void {
  const { use } = (spec['model'] ?? {}) as { readonly use?: unknown };
  if (start.model !== undefined || typeof use !== 'string' || !isModelFolder(use)) return;
  if (statSync(use, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new AppError(
    'model.not_found',
    `begin run ${runId}: its model "${use}" is no folder on the host ${hostname()} (worker ${worker}); copy the folder to that path there and resume the run (\`espalier run resume ${runId}\`), or make the run anew with needs.labels that only workers with the folder have`,
    { details: { folder: use, host: hostname() } },
  );
}
