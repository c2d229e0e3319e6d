/**
 * @file What the trainer asks of installed plugins. The host's registry fits it; a test needs a map.
 */
import type { DefinitionKinds } from '@espalier/plugin-kit';

export interface PluginLookup {
  /** @throws plugin.not_found naming the installed ids */
  get<Kind extends keyof DefinitionKinds>(kind: Kind, id: string): DefinitionKinds[Kind];
}

/** A plugin's own options: what stands beside `use` and the other keys of the core. */
export function paramsOf(chosen: Readonly<Record<string, unknown>>, ...hostKeys: readonly string[]): unknown {
  const hidden = new Set(['use', 'isolation', 'callTimeoutMs', ...hostKeys]);
  return Object.fromEntries(Object.entries(chosen).filter(([key]) => !hidden.has(key)));
}
