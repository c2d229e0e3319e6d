import type { EntityManager } from 'typeorm';
import { type Caller, requireSeen } from '../access/caller.js';
import { Run } from '../runs/run.entity.js';

/** Gives a run that the caller may see. @throws server.not_found */
export async function requireRun(manager: EntityManager, caller: Caller, runId: string): Promise<Run> {
  return requireSeen(caller, await manager.findOneBy(Run, { id: runId }), `run "${runId.slice(0, 100)}"`);
}

/** Checks that the caller may see all of some runs; cheaper than reading them. @throws server.not_found */
export async function requireRuns(
  manager: EntityManager,
  caller: Caller,
  runIds: readonly string[],
): Promise<void> {
  for (const id of new Set(runIds)) {
    const found = await manager.findOne(Run, { where: { id }, select: { id: true, project: true } });
    requireSeen(caller, found, `run "${id.slice(0, 100)}"`);
  }
}
