/**
 * @file The rule for untrusted file paths: from another machine, an upload or a foreign file.
 * Check a path with `isSafePath` before using it on this machine, and with `resolveInside` of `@espalier/files`
 * where folders may hold links.
 */
const segment = /^[A-Za-z0-9_][A-Za-z0-9._+=@ -]{0,199}$/;
/** Device names on Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const maxLength = 1000;
const maxDepth = 16;

/** The rule as the remedy of an error message. */
export const safePathRule =
  'write names of letters, digits and ._+=@- with single slashes between them, such as checkpoints/step-000010/manifest.json';

/**
 * Whether a text is a plain relative path: at most 16 names separated by forward slashes, without `.`, `..`,
 * backslashes, control characters or reserved names. A name does not start with a dot or a dash and does not end in a
 * dot or a space.
 */
export function isSafePath(path: string): boolean {
  if (path.length > maxLength) return false;
  const parts = path.split('/');
  return parts.length <= maxDepth && parts.every(isSafeName);
}

/** Whether a text is a single safe name, such as an id used as a folder name. */
export function isSafeName(name: string): boolean {
  return segment.test(name) && !/[. ]$/.test(name) && !reserved.test(name);
}
