/** @file The grammar of actions: `search[words]` and `click[text]`. */

export interface ParsedAction {
  readonly name: string;
  /** in lower case */
  readonly argument: string;
}

/** Splits an action as WebShop's expression `(.+)\[(.+)\]` does, at the last bracket that can open; text behind is ignored. */
export function parseAction(action: string): ParsedAction | undefined {
  const [line = ''] = action.split('\n', 1);
  const end = line.lastIndexOf(']');
  const start = end < 2 ? -1 : line.lastIndexOf('[', end - 2);
  if (start < 1) return undefined;
  return { name: line.slice(0, start), argument: line.slice(start + 1, end).toLowerCase() };
}

/** The list of actions that RAGEN shows: without the button `search`, and without `next >` on an empty page of results. */
export function listActions(clickables: readonly string[], hasSearchBar: boolean): readonly string[] {
  const actions = [
    ...(hasSearchBar ? ['search[<content>]'] : []),
    ...clickables.filter((text) => text !== 'search').map((text) => `click[${text}]`),
  ];
  return actions.join() === 'click[back to search],click[< prev],click[next >]'
    ? actions.slice(0, 2)
    : actions;
}

/** Whether the first RAGEN calls an action valid: it is in the list as it stands, or searches where there is a search bar. */
export function isListed(action: string, actions: readonly string[]): boolean {
  return (
    actions.includes(action) ||
    (actions.includes('search[<content>]') && action.startsWith('search[') && action.endsWith(']'))
  );
}
