/**
 * @file Forks that still need the checkpoint of their parent: they have no complete checkpoint of their own, or theirs
 * are adapters, which stand on what the fork began with.
 */
import { runLayout } from '@espalier/contracts';
import type { EntityManager } from 'typeorm';
import { Artifact } from '../database/entities/artifact.js';
import { Run } from '../database/entities/run.js';

const isManifest = `artifact.kind = 'checkpoint' AND artifact.path LIKE '%/${runLayout.manifest}'`;

/** Lists them, oldest first. Finished and cancelled forks without LoRA need nothing. */
export async function listDependentForks(manager: EntityManager, parentRunId: string): Promise<Run[]> {
  return manager
    .getRepository(Run)
    .createQueryBuilder('run')
    .where('run.parentRunId = :parentRunId', { parentRunId })
    .andWhere((query) => {
      const own = query
        .subQuery()
        .select('1')
        .from(Artifact, 'artifact')
        .where(`artifact.runId = run.id AND ${isManifest}`);
      const isUnderWay = `run.state NOT IN ('finished', 'cancelled') AND NOT EXISTS ${own.getQuery()}`;
      return `((${isUnderWay}) OR CAST(run.spec AS TEXT) LIKE '%"lora":%')`;
    })
    .orderBy('run.id')
    .getMany();
}

/** Checks whether a complete checkpoint is stored. @param path its folder among the artifacts */
export async function isCheckpointStored(
  manager: EntityManager,
  runId: string,
  path: string,
): Promise<boolean> {
  return manager.existsBy(Artifact, { runId, path: `${path}/${runLayout.manifest}` });
}
