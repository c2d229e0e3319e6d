/**
 * @file The external plugins of a worker (those that do not ship with Espalier), as they are on disk now. Callers poll
 * them, so files are hashed again only after one was written, added or removed.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findWorkspace } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { type Assignment, listPluginConflicts, type PluginVersion } from '@espalier/protocol';
import { describePackage, findExternal } from './list-plugins.js';

export interface ExternalPlugins {
  /** Lists them, without those that cannot be read at the moment. */
  list(): readonly PluginVersion[];
  /** Checks that a job finds the plugins that it started with. @throws worker.plugins_differ */
  validate(assignment: Pick<Assignment, 'plugins' | 'runId'>): void;
}

/** Opens the plugins below a root; default: the root that training processes use. */
export function openExternalPlugins(root: string = findWorkspace()): ExternalPlugins {
  const known = new Map<string, { readonly trace: string; readonly version: PluginVersion }>();
  const look = (kind: PluginVersion['kind'], id: string, folder: string): PluginVersion[] => {
    try {
      const trace = fingerprintOf(folder);
      const before = known.get(folder);
      if (before?.trace === trace) return [before.version];
      const version = describePackage(kind, id, folder);
      known.set(folder, { trace, version });
      return [version];
    } catch {
      known.delete(folder);
      return [];
    }
  };
  const list = (): PluginVersion[] =>
    findExternal(root).flatMap(({ kind, id, folder }) => look(kind, id, folder));
  return {
    list,
    validate({ plugins = [], runId }) {
      if (plugins.length === 0) return;
      const conflicts = listPluginConflicts(plugins, list());
      if (conflicts.length === 0) return;
      throw new AppError(
        'worker.plugins_differ',
        `resume run ${runId}: this worker has ${conflicts.join('; ')}; install the plugins that the run started with, or accept the change: \`espalier run resume ${runId} --accept-plugins\``,
      );
    },
  };
}

/** A text that changes when a file of a package is written, added or removed. */
function fingerprintOf(folder: string, prefix = ''): string {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== '.git')
    .map((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return fingerprintOf(folder, path);
      const { size, mtimeMs, ctimeMs, ino } = statSync(join(folder, path));
      return `${path}:${size}:${mtimeMs}:${ctimeMs}:${ino}`;
    })
    .join('\n');
}
