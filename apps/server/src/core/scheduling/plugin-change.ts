/** @file Detects attempts that use another version of a plugin than the first attempt of their run. */
import { describePluginDifference, findPluginDifferences } from '@espalier/protocol';
import type { EntityManager } from 'typeorm';
import type { Alert } from '../database/entities/alert.js';
import { createId } from '../database/create-id.js';
import type { NewRecord, RunLog } from '../database/run-log.js';
import { Run } from '../database/entities/run.js';
import { Attempt } from '../database/entities/attempt.js';

/** Raises an alert about an attempt whose plugins changed; returns the record for the run. Inside a write. */
export async function alertPluginChange(
  log: RunLog,
  manager: EntityManager,
  attempt: Attempt,
  time: number,
): Promise<NewRecord[]> {
  const earlier = await manager.find(Attempt, { where: { runId: attempt.runId }, order: { id: 'ASC' } });
  const first = earlier.find(({ id, plugins }) => id !== attempt.id && (plugins?.length ?? 0) > 0);
  // a plugin that only one of the attempts reports has not changed: an older worker reports more than the run uses
  const changes = findPluginDifferences(first?.plugins ?? [], attempt.plugins ?? [])
    .filter(({ now }) => now !== undefined)
    .map(describePluginDifference);
  if (changes.length === 0) return [];
  const code = 'plugin.changed';
  const message = `attempt ${attempt.number}: its plugins differ from those the run started with: ${changes.join('; ')}; what it learns from here on is not comparable, fork the run to keep them apart`;
  const run = await manager.findOneByOrFail(Run, { id: attempt.runId });
  const { project, id: runId } = run;
  const alert: Alert = {
    id: createId('alert', time),
    runId,
    project,
    severity: 'warning',
    code,
    message,
    step: -1,
    time,
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
  await log.storeAlerts(manager, [alert]);
  await manager.update(Run, { id: runId }, { warnings: run.warnings + 1 });
  return [{ kind: 'warning', attempt: attempt.number, step: -1, time, body: { code, message } }];
}
