/** @file Which forks still begin from what a run has stored: those that have no whole checkpoint of their own yet. */
import type { EntityManager } from 'typeorm';
import { Artifact } from '../database/entities/artifact.js';
import { Run } from '../database/entities/run.js';

const isManifest = `artifact.kind = 'checkpoint' AND artifact.path LIKE '%/manifest.json'`;

/** Lists them, oldest first; what is done for good needs nothing. */
export async function listDependentForks(manager: EntityManager, parentRunId: string): Promise<Run[]> {
  return manager
    .getRepository(Run)
    .createQueryBuilder('run')
    .where('run.parentRunId = :parentRunId', { parentRunId })
    .andWhere(`run.state NOT IN ('finished', 'cancelled')`)
    .andWhere((query) => {
      const own = query
        .subQuery()
        .select('1')
        .from(Artifact, 'artifact')
        .where(`artifact.runId = run.id AND ${isManifest}`);
      return `NOT EXISTS ${own.getQuery()}`;
    })
    .orderBy('run.id')
    .getMany();
}

/** Tells whether a checkpoint is stored whole. @param path its folder among the artifacts */
export async function isCheckpointStored(
  manager: EntityManager,
  runId: string,
  path: string,
): Promise<boolean> {
  return manager.existsBy(Artifact, { runId, path: `${path}/manifest.json` });
}
