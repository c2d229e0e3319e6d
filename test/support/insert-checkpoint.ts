import type { DataSource } from 'typeorm';
import { createId } from '../../apps/server/src/core/database/create-id.js';
import { Artifact } from '../../apps/server/src/core/database/entities/artifact.js';

/** Stores the row of a checkpoint of a run, without a file: enough to fork from. */
export async function insertCheckpoint(source: DataSource, runId: string, step: number): Promise<void> {
  const path = `checkpoints/step-${String(step).padStart(6, '0')}/manifest.json`;
  await source.getRepository(Artifact).insert({
    id: createId('artifact'),
    runId,
    attempt: 1,
    kind: 'checkpoint',
    path,
    key: `runs/${runId}/${step}`,
    step,
    bytes: 1,
    sha256: 'a'.repeat(64),
    createdAt: Date.now(),
  });
}
