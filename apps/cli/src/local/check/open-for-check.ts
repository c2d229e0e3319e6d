/** @file Opens a plugin's package for its check: environments and rewards in a process with a time limit. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  discoverPlugins,
  type IsolatedPlugins,
  isolatePlugins,
  type PluginKind,
} from '@espalier/plugin-host';

/** A definition of the package. */
export interface CheckedPlugin {
  readonly kind: PluginKind;
  readonly id: string;
}

export interface OpenedForCheck {
  readonly registry: IsolatedPlugins;
  readonly plugins: readonly CheckedPlugin[];
}

/**
 * Opens the package of a folder.
 *
 * @param limitMs time limit of one call
 * @throws plugin.unreadable and whatever else keeps it from loading
 */
export async function openForCheck(folder: string, limitMs: number): Promise<OpenedForCheck> {
  // a workspace that names the folder, as a user's would
  const root = mkdtempSync(join(tmpdir(), 'espalier-check-'));
  try {
    mkdirSync(join(root, 'config'));
    writeFileSync(join(root, 'config', 'plugins.yaml'), JSON.stringify({ packages: [folder] }));
    const found = await discoverPlugins({ root });
    for (const { error } of found.broken()) throw error;
    const plugins = found.list().map(({ kind, id }) => ({ kind, id }));
    const choices = plugins.flatMap(({ kind, id }) =>
      kind === 'environment' || kind === 'reward'
        ? [{ kind, id, isolation: 'process' as const, callTimeoutMs: limitMs }]
        : [],
    );
    return { registry: await isolatePlugins(found, choices), plugins };
  } finally {
    rmSync(root, { recursive: true });
  }
}
