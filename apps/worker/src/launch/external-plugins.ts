/**
 * @file The plugins of a worker that did not come with Espalier, as they lie on disk now. Asked for again and again, so
 * files are read anew only when one was written, added or removed.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { type Assignment, listPluginConflicts, type PluginVersion } from '@espalier/protocol';
import { describePackage, findExternal, pluginRoot } from './installation.js';

export interface ExternalPlugins {
  /** Lists them; one that cannot be read now is left out, as if it were not there. */
  list(): readonly PluginVersion[];
  /** Refuses a job that began with others. @throws worker.plugins_differ */
  require(assignment: Pick<Assignment, 'plugins' | 'runId'>): void;
}

/** Looks after the plugins under a root; default: where training processes find theirs. */
export function openExternalPlugins(root: string = pluginRoot()): ExternalPlugins {
  const known = new Map<string, { readonly trace: string; readonly version: PluginVersion }>();
  const look = (kind: string, id: string, folder: string): PluginVersion[] => {
    try {
      const trace = traceOf(folder);
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
    require({ plugins = [], runId }) {
      if (plugins.length === 0) return;
      const conflicts = listPluginConflicts(plugins, list());
      if (conflicts.length === 0) return;
      throw new AppError(
        'worker.plugins_differ',
        `go on with run ${runId}: this worker has ${conflicts.join('; ')}; install what the run began with here, or let it go on with other plugins: \`espalier run resume ${runId} --accept-plugins\``,
      );
    },
  };
}

/** Changes when a file of a package is written, added or removed. */
function traceOf(folder: string, prefix = ''): string {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== '.git')
    .map((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return traceOf(folder, path);
      const { size, mtimeMs, ctimeMs, ino } = statSync(join(folder, path));
      return `${path}:${size}:${mtimeMs}:${ctimeMs}:${ino}`;
    })
    .join('\n');
}
