/** @file Notices when an attempt uses another state of a plugin than the first attempt of its run. */
import type { EntityManager } from 'typeorm';
import { Alert } from '../alerts/alert.entity.js';
import { createId } from '../database/create-id.js';
import type { NewRecord } from '../events/run-log.js';
import { Run } from '../runs/run.entity.js';
import { Attempt } from './attempt.entity.js';

type Plugins = NonNullable<Attempt['plugins']>;

/** Lists what differs, a phrase each; a plugin without a hash, or that only one side names, is passed over. */
export function listPluginChanges(first: Plugins, now: Plugins): string[] {
  return now.flatMap(({ kind, id, version, sha256 }) => {
    const before = first.find((plugin) => plugin.kind === kind && plugin.id === id);
    if (before === undefined || before.sha256 === '' || sha256 === '' || before.sha256 === sha256) return [];
    return [
      `${kind} ${id} was ${before.version} (${before.sha256.slice(0, 12)}), is ${version} (${sha256.slice(0, 12)})`,
    ];
  });
}

/** Raises an alert about an attempt whose plugins changed; gives the record for the run. Inside a write. */
export async function alertPluginChange(
  manager: EntityManager,
  attempt: Attempt,
  time: number,
): Promise<NewRecord[]> {
  const earlier = await manager.find(Attempt, { where: { runId: attempt.runId }, order: { id: 'ASC' } });
  const first = earlier.find(({ id, plugins }) => id !== attempt.id && (plugins?.length ?? 0) > 0);
  const changes = listPluginChanges(first?.plugins ?? [], attempt.plugins ?? []);
  if (changes.length === 0) return [];
  const code = 'plugin.changed';
  const message = `attempt ${attempt.number}: its plugins are not those the run began with: ${changes.join('; ')}; what it learns from here on is not comparable, fork the run to keep them apart`;
  const run = await manager.findOneByOrFail(Run, { id: attempt.runId });
  const { project, id: runId } = run;
  const alert: Alert = {
    ...{ id: createId('alert', time), runId, project, severity: 'warning', code, message, step: -1, time },
    ...{ acknowledgedAt: null, acknowledgedBy: null },
  };
  await manager.insert(Alert, alert);
  await manager.update(Run, { id: runId }, { warnings: run.warnings + 1 });
  return [{ kind: 'warning', attempt: attempt.number, step: -1, time, body: { code, message } }];
}
