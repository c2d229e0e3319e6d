import { AppError } from '@espalier/contracts';
import { type EntityManager, type FindOptionsSelect, In } from 'typeorm';
import { type Caller, visibleOrFail } from '../../access/caller.js';
import { Run } from '../../database/entities/run.js';

/** Finds a run that the caller may see. @throws server.not_found */
export async function findRunOrFail(manager: EntityManager, caller: Caller, runId: string): Promise<Run> {
  return visibleOrFail(caller, await manager.findOneBy(Run, { id: runId }), `run "${runId.slice(0, 100)}"`);
}

/** The refusal to follow a run that was deleted meanwhile. */
export function runNotFound(runId: string): AppError {
  return new AppError('server.not_found', `follow run "${runId}": it was deleted; follow another run`);
}

/**
 * Finds runs that the caller may see by one query, in the order of their ids, each once.
 *
 * @param select what is read, with id and project; default: all
 * @throws server.not_found
 */
export async function findRuns(
  manager: EntityManager,
  caller: Caller,
  runIds: readonly string[],
  select?: FindOptionsSelect<Run>,
): Promise<Run[]> {
  const ids = [...new Set(runIds)];
  const found = await manager.find(Run, { where: { id: In(ids) }, ...(select && { select }) });
  const byId = new Map(found.map((run) => [run.id, run]));
  return ids.map((id) => visibleOrFail(caller, byId.get(id) ?? null, `run "${id.slice(0, 100)}"`));
}

/** Checks that the caller may see all of some runs; cheaper than reading them. @throws server.not_found */
export async function checkRunAccess(
  manager: EntityManager,
  caller: Caller,
  runIds: readonly string[],
): Promise<void> {
  await findRuns(manager, caller, runIds, { id: true, project: true });
}

/** Checks that a cursor lies within the history of a run, its end included. @throws server.invalid_cursor */
export function validateCursor({ id, head }: Pick<Run, 'id' | 'head'>, after: number): number {
  if (Number.isInteger(after) && after >= 0 && after <= Number(head)) return after;
  throw new AppError(
    'server.invalid_cursor',
    `follow run "${id}" after ${after}: there is no such cursor; use a whole number from 0 to its head, ${head}`,
  );
}
