/** @file Words of a table of environments. */

/** What a tag is to the run, in a column. */
export function roleOf({ trained, level }: { readonly trained: boolean; readonly level?: number }): string {
  const role = trained ? 'trained' : level === undefined ? 'not trained' : `level ${level}`;
  return role.padEnd(13);
}
