/**
 * @file Checks whether a definition was made for this kit: the subset of version ranges that plugins use
 * (`^1.0`, `~1.2`, `1.x`, `1.2.3`, `>=1.0 <3`, joined by `||`), without pre-release tags.
 */
type Version = readonly [number, number, number];

const COMPARATOR = /^(\^|~|>=|<=|>|<|=)?v?(\d+|x|\*)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?$/;

/** Whether a version is in a range; undefined when the range cannot be parsed. */
export function isInRange(version: string, range: string): boolean | undefined {
  const exact = parts(version.split('.'));
  let inside = false;
  for (const alternative of range.split('||')) {
    const comparators = alternative.trim().split(/\s+/);
    let fits = true;
    for (const comparator of comparators) {
      const bounds = boundsOf(comparator);
      if (bounds === undefined) return undefined;
      fits &&= compare(exact, bounds[0]) >= 0 && compare(exact, bounds[1]) < 0;
    }
    inside ||= fits;
  }
  return inside;
}

const first: Version = [0, 0, 0];
const last: Version = [Infinity, 0, 0];

/** The half-open range of versions that a comparator allows. */
function boundsOf(comparator: string): readonly [Version, Version] | undefined {
  const match = COMPARATOR.exec(comparator);
  if (match === null) return undefined;
  const given = match.slice(2).filter((part) => part !== undefined && /^\d+$/.test(part));
  if (given.length === 0) return [first, last];
  const low = parts(given);
  const [major, minor, patch] = low;
  const next: Version =
    given.length === 1
      ? [major + 1, 0, 0]
      : given.length === 2
        ? [major, minor + 1, 0]
        : [major, minor, patch + 1];
  switch (match[1]) {
    case '^':
      return [
        low,
        major > 0 || given.length === 1
          ? [major + 1, 0, 0]
          : minor > 0 || given.length === 2
            ? [0, minor + 1, 0]
            : next,
      ];
    case '~':
      return [low, given.length === 1 ? [major + 1, 0, 0] : [major, minor + 1, 0]];
    case '>=':
      return [low, last];
    case '>':
      return [next, last];
    case '<=':
      return [first, next];
    case '<':
      return [first, low];
    default:
      return [low, next];
  }
}

function parts(texts: readonly string[]): Version {
  return [Number(texts[0] ?? 0), Number(texts[1] ?? 0), Number(texts[2] ?? 0)];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
