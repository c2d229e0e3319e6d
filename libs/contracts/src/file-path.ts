/**
 * @file The one rule for file paths that come from another machine, an upload or a file that somebody else wrote.
 * What becomes a path on this machine passes `isSafePath` first; where folders may hold links, `resolveInside` of
 * `@espalier/telemetry` as well.
 */
const segment = /^[A-Za-z0-9_][A-Za-z0-9._+=@ -]{0,199}$/;
/** Devices on Windows, whatever their extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const maxLength = 1000;
const maxDepth = 16;

/** The rule in words, for the remedy of an error. */
export const safePathRule =
  'write names of letters, digits and ._+=@- with single slashes between them, such as checkpoints/step-000010/manifest.json';

/**
 * Tells whether a text is a plain relative path: at most 16 names with forward slashes between them, without `.`, `..`,
 * backslashes, control characters and names that a system reserves. A name does not begin with a dot or a dash and does
 * not end in a dot or a space.
 */
export function isSafePath(path: string): boolean {
  if (path.length > maxLength) return false;
  const parts = path.split('/');
  return parts.length <= maxDepth && parts.every(isSafeName);
}

/** The same for a single name, such as an id that names a folder. */
export function isSafeName(name: string): boolean {
  return segment.test(name) && !/[. ]$/.test(name) && !reserved.test(name);
}
