/**
 * @file The pinned plugins of a job: every later attempt needs those that its first attempt started with. Built-in
 * plugins change only with Espalier and are not pinned, nor are plugins of unknown origin.
 */
import type { PluginVersion } from '@espalier/protocol';
import { type EntityManager, IsNull, MoreThan, Not } from 'typeorm';
import { Run } from '../database/entities/run.js';
import { Attempt } from '../database/entities/attempt.js';
import type { Job } from '../database/entities/job.js';

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
