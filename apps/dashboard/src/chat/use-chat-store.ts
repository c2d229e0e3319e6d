/** @file The conversations of whoever is signed in, as this page has opened them. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../session/session-context.js';
import { type ChatStore, createChatStore } from './chat-store.js';
import type { Summary } from './stored-form.js';
import { browserStorage, forgotten } from './stored-names.js';

const stores = new Map<string, ChatStore>();

window.addEventListener(forgotten, (event) => {
  const owner = String((event as CustomEvent<unknown>).detail);
  stores.get(owner)?.close();
  stores.delete(owner);
});
window.addEventListener('storage', ({ key }) => stores.forEach((store) => store.noteOther(key)));
// the last chance on phones, where pages are discarded without another word
document.addEventListener('visibilitychange', () => stores.forEach((store) => store.flush()));
window.addEventListener('pagehide', () => stores.forEach((store) => store.flush()));

/** The store of the key that is signed in. */
export function useChatStore(): ChatStore {
  const { keyId } = useSession().me;
  const store = useMemo(() => {
    const known = stores.get(keyId) ?? createChatStore(browserStorage(), keyId);
    stores.set(keyId, known);
    return known;
  }, [keyId]);
  useEffect(() => store.flush, [store]);
  return store;
}

/** The kept conversations of a run, the newest first. */
export function useKeptList(store: ChatStore, runId: string): readonly Summary[] {
  const version = useSyncExternalStore(store.subscribe, store.listVersion);
  return useMemo(() => store.list(runId), [store, runId, version]);
}
