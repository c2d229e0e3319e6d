/** @file Names of conversations in the storage of the browser: by key, run and conversation. */

export type BrowserStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

const prefix = 'espalier-chat/';
/** Tells the open page that the conversations of a key are forgotten; its detail is the key's id. */
export const forgotten = 'espalier-chats-forgotten';

/** The name of a conversation. */
export const nameOf = (owner: string, runId: string, id: string): string =>
  prefix + [owner, runId, id].map(encodeURIComponent).join('/');

/** What names begin with: of all, of a key, or of a run of it. */
export const beginningOf = (...parts: readonly string[]): string =>
  prefix + parts.map((part) => `${encodeURIComponent(part)}/`).join('');

/** Names in the storage that begin so. */
export function namesIn(storage: BrowserStorage, beginning: string): string[] {
  const names = Array.from({ length: storage.length }, (_, at) => storage.key(at));
  return names.filter((name): name is string => name?.startsWith(beginning) ?? false);
}

/** The run and the conversation of a name; undefined: it is another key's, or no conversation. */
export function readName(
  name: string | null,
  owner: string,
): { readonly runId: string; readonly id: string } | undefined {
  const beginning = beginningOf(owner);
  if (name === null || !name.startsWith(beginning)) return undefined;
  const [runId = '', id = ''] = name.slice(beginning.length).split('/').map(decodeURIComponent);
  return { runId, id };
}

/** The storage of this browser; undefined: it gives none to this page. */
export function browserStorage(): BrowserStorage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

/** Deletes the conversations of a key: it signs out. */
export function forgetConversations(owner: string): void {
  window.dispatchEvent(new CustomEvent(forgotten, { detail: owner }));
  const storage = browserStorage();
  if (storage === undefined) return;
  for (const name of namesIn(storage, beginningOf(owner))) storage.removeItem(name);
}
