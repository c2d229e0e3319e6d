import { leaves } from './json.js';
import type { Origin } from './load-config.js';

/** Where the value of an option comes from. */
export type ValueSource = 'default' | Origin | 'plugin default' | 'derived' | 'name of the file';

/**
 * Traces every leaf of a resolved spec to where its value comes from.
 *
 * @param origins what a person wrote, by leaf path
 * @param derived paths whose value follows from other values
 * @param byPlugin paths (or branches) that a plugin fills
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
    else if (derived.has(path) || path.startsWith('derived.')) sources.set(path, 'derived');
    else sources.set(path, byPlugin(path) ? 'plugin default' : 'default');
  }
  return sources;
}
