/**
 * Selects items by `--only`: each part names an item, all items below it, or all with that prefix.
 *
 * @returns the selected names in order (all for an empty list), or the first part that matches nothing
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
