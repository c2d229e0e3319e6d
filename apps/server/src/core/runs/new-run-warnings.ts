/** @file What may go wrong with a run that was just made, told like the warnings of a training: as records and alerts. */
import type { EntityManager } from 'typeorm';
import { Alert } from '../database/entities/alert.js';
import { toAlert } from '../history/alerts/to-alert.js';
import type { NewRecord } from '../database/run-log.js';
import type { SpecWarning } from '../plugins/catalogue-messages.js';
import { Run } from '../database/entities/run.js';

/** Stores the alerts and counts them; gives the records for the run, which belong to no attempt. Inside a write. */
export async function storeWarnings(
  manager: EntityManager,
  { id, project, createdAt: time }: Pick<Run, 'id' | 'project' | 'createdAt'>,
  warnings: readonly SpecWarning[],
): Promise<NewRecord[]> {
  if (warnings.length === 0) return [];
  const events = warnings.map((warning) => ({ kind: 'warning' as const, time, step: -1, ...warning }));
  await manager.insert(
    Alert,
    events.map((event) => toAlert(id, project, event)),
  );
  await manager.update(Run, { id }, { warnings: warnings.length });
  return warnings.map(({ code, message }) => {
    const body = { code, message };
    return { kind: 'warning', attempt: 0, step: -1, time, body };
  });
}
