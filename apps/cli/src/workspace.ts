/** @file The plugins that a command can use: those of Espalier, and those of the workspace it is run in. */
import { join } from 'node:path';
import { findWorkspace } from '@espalier/config/plain';
import { discoverPlugins } from '@espalier/plugin-host';
import type { Console } from './console.js';

/** The installed plugins. */
export type Registry = Awaited<ReturnType<typeof discoverPlugins>>;

/**
 * Loads the plugins and reports on standard error which are broken, as the command continues without them.
 *
 * @param folders packages that a configuration needs besides, absolute
 * @throws plugin.unreadable and the like when one of those folders cannot be loaded
 */
export async function loadRegistry(
  console: Pick<Console, 'note'>,
  folders: readonly string[] = [],
): Promise<Registry> {
  const root = findWorkspace();
  const configFile = join(root, 'config/plugins.yaml');
  const registry = await discoverPlugins({ root, configFile, folders, withBuiltIn: true });
  for (const { package: name, folder, error } of registry.broken()) {
    if (folder !== undefined && folders.includes(folder)) throw error;
    console.note(`note: plugin package "${name}" is broken and left out: ${error.message}`);
  }
  return registry;
}
