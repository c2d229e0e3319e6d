/**
 * @file The pinned plugins of a job: every later attempt needs those that its first attempt started with. Built-in
 * plugins change only with Espalier and are not pinned, nor are plugins of unknown origin. An attempt that runs with
 * others, because a user accepted them, raises an alert.
 */
import type { WarningCode } from '@espalier/contracts';
import { describePluginDifference, findPluginDifferences, type PluginVersion } from '@espalier/protocol';
import { type EntityManager, IsNull, MoreThan, Not } from 'typeorm';
import { newAlert } from '../../history/alerts/alert.service.js';
import type { NewRecord, RunLog } from '../../database/run-log.js';
import { Run } from '../../database/entities/run.js';
import { Attempt } from '../../database/entities/attempt.js';
import type { Job } from '../../database/entities/job.js';

type Versions = readonly PluginVersion[];

/**
 * Selects those plugins of an attempt that the run needs. A worker that does not know what a package contains reports
 * all it has; then those with the files that the run was created with are needed, and all of them if that is unknown.
 *
 * @param recorded plugins the run was created with on the server; null: unknown
 * @param reported plugins of its first attempt
 */
export function selectPinned(recorded: Versions | null, reported: Versions): PluginVersion[] {
  const external = reported.filter(({ isExternal, sha256 }) => isExternal === true && sha256 !== '');
  const pinned = new Set<PluginVersion>();
  for (const { kind, id, sha256 } of recorded ?? []) {
    const own = reported.find((plugin) => plugin.kind === kind && plugin.id === id);
    const found = own ?? external.find((plugin) => plugin.sha256 === sha256);
    if (found === undefined) return external;
    pinned.add(found);
  }
  return recorded === null ? external : external.filter((plugin) => pinned.has(plugin));
}

/** Reads the plugins that the next attempt of a job needs unchanged; none before its first attempt. */
export async function readPinnedPlugins(
  manager: EntityManager,
  { id, runId, token, pluginsSince }: Pick<Job, 'id' | 'runId' | 'token' | 'pluginsSince'>,
): Promise<PluginVersion[]> {
  if (token <= pluginsSince) return [];
  const first = await manager.findOne(Attempt, {
    where: { jobId: id, number: MoreThan(pluginsSince), plugins: Not(IsNull()) },
    order: { number: 'ASC' },
    select: { id: true, plugins: true },
  });
  const reported = first?.plugins ?? [];
  if (!reported.some(({ isExternal }) => isExternal === true)) return [];
  const run = await manager.findOne(Run, { where: { id: runId }, select: { id: true, plugins: true } });
  return selectPinned(run?.plugins ?? null, reported);
}

/** Raises an alert about an attempt whose plugins changed; returns the record for the run. Inside a write. */
export async function alertPluginChange(
  log: RunLog,
  manager: EntityManager,
  attempt: Attempt,
  time: number,
): Promise<NewRecord[]> {
  const { runId, number } = attempt;
  const earlier = await manager.find(Attempt, { where: { runId }, order: { id: 'ASC' } });
  const first = earlier.find(({ id, plugins }) => id !== attempt.id && (plugins?.length ?? 0) > 0);
  // a plugin that only one of the attempts reports has not changed: an older worker reports more than the run uses
  const changes = findPluginDifferences(first?.plugins ?? [], attempt.plugins ?? [])
    .filter(({ now }) => now !== undefined)
    .map(describePluginDifference);
  if (changes.length === 0) return [];
  const code: WarningCode = 'plugin.changed';
  const message = `attempt ${number}: its plugins differ from those the run started with: ${changes.join('; ')}; what it learns from here on is not comparable, fork the run to keep them apart`;
  const { project, warnings } = await manager.findOneByOrFail(Run, { id: runId });
  const alert = newAlert({ runId, project, code, message, time });
  await log.storeAlerts(manager, [alert]);
  await manager.update(Run, { id: runId }, { warnings: warnings + 1 });
  return [{ kind: 'warning', attempt: number, step: -1, time, body: { code, message } }];
}
