/**
 * @file The plugins that a job keeps: those its first attempt began with, for every later one. What came with Espalier
 * changes only with it and is left aside; so is what an older worker told without saying where it came from.
 */
import type { PluginVersion } from '@espalier/protocol';
import { type EntityManager, IsNull, MoreThan, Not } from 'typeorm';
import { Run } from '../database/entities/run.js';
import { Attempt } from '../database/entities/attempt.js';
import type { Job } from '../database/entities/job.js';

type Versions = readonly PluginVersion[];

/**
 * Picks what a run needs of the plugins an attempt had. A worker that cannot tell what is inside a package names all it
 * has; those whose files the run was made with are meant, and all of them when that tells nothing.
 *
 * @param recorded plugins the run was made with, on the server; null: not known
 * @param reported what its first attempt had
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

/** Reads the plugins that the next attempt of a job has to find unchanged; none before its first has begun. */
export async function readPinnedPlugins(
  manager: EntityManager,
  { id, runId, token, pluginsSince }: Pick<Job, 'id' | 'runId' | 'token' | 'pluginsSince'>,
): Promise<PluginVersion[]> {
  if (token <= pluginsSince) return [];
  const first = await manager.findOne(Attempt, {
    where: { jobId: id, number: MoreThan(pluginsSince), plugins: Not(IsNull()) },
    ...{ order: { number: 'ASC' }, select: { id: true, plugins: true } },
  });
  const reported = first?.plugins ?? [];
  if (!reported.some(({ isExternal }) => isExternal === true)) return [];
  const run = await manager.findOne(Run, { where: { id: runId }, select: { id: true, plugins: true } });
  return selectPinned(run?.plugins ?? null, reported);
}
