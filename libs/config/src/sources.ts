import { leaves } from './json.js';
import type { Origin } from './load-config.js';

/** The source of the value of an option; `memory`: the machine has too little for the derived one. */
export type ValueSource = 'default' | Origin | 'plugin default' | 'derived' | 'file name' | 'memory';

/**
 * Finds the source of every leaf of a resolved spec.
 *
 * @param origins explicitly set values, by leaf path
 * @param derived paths whose values are computed from other values
 * @param byPlugin whether a plugin defines the default of a path
 */
export function traceSources(
  spec: object,
  origins: ReadonlyMap<string, Origin>,
  derived: ReadonlySet<string>,
  byPlugin: (path: string) => boolean,
): Map<string, ValueSource> {
  const sources = new Map<string, ValueSource>();
  for (const [path] of leaves(spec)) {
    const written = origins.get(path);
    if (written !== undefined) sources.set(path, written);
    else if (derived.has(path)) sources.set(path, 'derived');
    else sources.set(path, byPlugin(path) ? 'plugin default' : 'default');
  }
  return sources;
}
