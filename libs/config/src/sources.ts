import { leaves } from './json.js';
import type { Origin } from './load-config.js';

/** The source of the value of an option; `preset`: that of its environment; `memory`: the machine has too little for the derived one. */
export type ValueSource =
  | 'default'
  | Origin
  | 'preset'
  | 'plugin default'
  | 'derived'
  | 'file name'
  | 'memory';

/**
 * Finds the source of every leaf of a resolved spec.
 *
 * @param origins explicitly set values, by leaf path
 * @param derived paths whose values are computed from other values
 * @param byPreset whether the value of a path comes from a preset
 * @param byPlugin whether a plugin defines the default of a path
 */
export function traceSources(
  spec: object,
  origins: ReadonlyMap<string, Origin>,
  derived: ReadonlySet<string>,
  byPreset: (path: string) => boolean,
  byPlugin: (path: string) => boolean,
): Map<string, ValueSource> {
  const sources = new Map<string, ValueSource>();
  for (const [path] of leaves(spec)) {
    const written = origins.get(path);
    if (written !== undefined) sources.set(path, written);
    else if (byPreset(path)) sources.set(path, 'preset');
    else if (derived.has(path)) sources.set(path, 'derived');
    else sources.set(path, byPlugin(path) ? 'plugin default' : 'default');
  }
  return sources;
}
