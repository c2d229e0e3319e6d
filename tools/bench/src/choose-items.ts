/**
 * Chooses by `--only`: a part names an item, all items below it, or all that begin with that word.
 *
 * @returns the chosen names in their order (all for an empty list), or the first part that names nothing
 */
export function chooseItems(
  only: string,
  names: readonly string[],
): { readonly chosen: string[] } | { readonly unknown: string } {
  const wanted = only.split(',').filter((part) => part !== '');
  const isMeant = (name: string, part: string): boolean =>
    name === part || name.startsWith(`${part}/`) || name.startsWith(`${part}-`);
  const unknown = wanted.find((part) => !names.some((name) => isMeant(name, part)));
  if (unknown !== undefined) return { unknown };
  return {
    chosen: names.filter((name) => wanted.length === 0 || wanted.some((part) => isMeant(name, part))),
  };
}
