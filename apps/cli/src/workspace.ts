/**
 * @file Where Espalier lies and which plugins it has. Plugins come from the installation, and from the folder the
 * command is run in when that is a workspace of its own.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import type { Console } from './console.js';

/** The installed plugins. */
export type Registry = Awaited<ReturnType<typeof discoverPlugins>>;

/** Folder of the installation: the nearest one above this file that has `plugins/`. */
export function installationRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const isRoot = existsSync(join(folder, 'plugins')) && existsSync(join(folder, 'package.json'));
    if (isRoot || folder === dirname(folder)) return folder;
  }
}

/**
 * Loads the plugins of the present folder when it has any, else those of the installation; reports on standard error
 * which of them are broken, as the command continues without them.
 */
export async function loadRegistry(console: Pick<Console, 'note'>): Promise<Registry> {
  const here = resolve('.');
  const root =
    existsSync(join(here, 'plugins')) || existsSync(join(here, 'config/plugins.yaml'))
      ? here
      : installationRoot();
  const registry = await discoverPlugins({ root, configFile: join(root, 'config/plugins.yaml') });
  for (const { package: name, error } of registry.broken())
    console.note(`note: plugin package "${name}" is broken and left out: ${error.message}`);
  return registry;
}
