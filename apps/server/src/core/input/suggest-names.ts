/** @file What to say to somebody who used names that are not known: of options, of parameters. */
import { nearestKey } from '@espalier/config/plain';

/** Suggests the known names nearest to unknown ones, or says all there are; begins in lower case, ends without a stop. */
export function suggestNames(unknown: readonly string[], known: readonly string[]): string {
  const near = unknown.flatMap((name) => nearestKey(name, known) ?? []);
  if (near.length > 0) return `did you mean ${[...new Set(near)].join(', ')}?`;
  return known.length === 0 ? 'it takes none' : `it takes ${[...known].sort().join(', ')}`;
}
