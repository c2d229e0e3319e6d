/**
 * @file The conversations of a key that this page has opened. What changes is kept in the browser's storage a moment later,
 * and before the page goes. Another tab may have the same one open: its changes are taken over where there are none of
 * one's own, else one's own go on as a conversation of another id, so that both stay.
 */
import type { Chat } from '../data/types.js';
import { type ChatStart, isSameStart, newConversationId } from './chat-place.js';
import type { Conversation, Exchange, Sampling } from './conversation.js';
import { keepConversations, type Keeping, type KeptConversations } from './kept-conversations.js';
import type { Summary } from './stored-form.js';
import { type BrowserStorage, readName } from './stored-names.js';

export interface OpenChat {
  /** stays when the conversation gets another id */
  readonly serial: number;
  readonly conversation: Conversation;
  /** of the checkpoint that was last talked to; undefined: none yet */
  readonly chat: Chat | undefined;
  readonly keeping: Keeping;
}

type Changed = Partial<Pick<Conversation, 'system' | 'sampling' | 'draft' | 'exchanges'>>;

export interface ChatStore {
  /** The one of an id, from memory, from the storage, or a new one. */
  open(runId: string, id: string, fresh: { place: ChatStart; sampling: Sampling }): OpenChat;
  /** The one that was opened, by its serial; undefined: it was deleted, or its key has signed out. */
  get(serial: number): OpenChat | undefined;
  change(serial: number, by: (old: Conversation) => Changed): void;
  setChat(serial: number, chat: Chat): void;
  /** The newest that begins there. */
  newestAt(runId: string, place: ChatStart): string | undefined;
  list(runId: string): readonly Summary[];
  remove(runId: string, id: string): void;
  subscribe(listener: () => void): () => void;
  /** changes when `list` does */
  listVersion(): number;
  /** Keeps what has changed. */
  flush(): void;
  /** Takes note of what another tab stored or deleted. @param name in the storage */
  noteOther(name: string | null): void;
  /** Forgets all of it; what still arrives is dropped. */
  close(): void;
}

const restMs = 400;

export const isBusy = (exchanges: readonly Exchange[]): boolean =>
  ['waiting', 'replying'].includes(exchanges.at(-1)?.state ?? '');

/** The conversations in memory, and who listens; what was put is kept a moment later. */
function createMemory(kept: KeptConversations) {
  const opened = new Map<number, OpenChat>();
  const unsaved = new Set<number>();
  const listeners = new Set<() => void>();
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => listeners.forEach((listener) => listener());
  const set = (one: OpenChat): void => void opened.set(one.serial, one);
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (unsaved.size === 0) return;
    for (const serial of unsaved) {
      const one = opened.get(serial);
      if (one !== undefined) set({ ...one, keeping: kept.write(one.conversation) });
    }
    unsaved.clear();
    version++;
    tell();
  };
  return {
    set,
    flush,
    tell,
    get: (serial: number) => opened.get(serial),
    find: (runId: string, id: string): OpenChat | undefined =>
      [...opened.values()].find(({ conversation: one }) => one.id === id && one.runId === runId),
    isUnsaved: (serial: number) => unsaved.has(serial),
    put(one: OpenChat): void {
      set(one);
      unsaved.add(one.serial);
      timer ??= setTimeout(flush, restMs);
      tell();
    },
    forget(serials: Iterable<number> = opened.keys()): void {
      for (const serial of [...serials]) {
        opened.delete(serial);
        unsaved.delete(serial);
      }
    },
    listVersion: () => version,
    noteList: (): void => void version++,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Creates the store of a key. @param now milliseconds since the epoch */
export function createChatStore(
  storage: BrowserStorage | undefined,
  owner: string,
  now: () => number = Date.now,
): ChatStore {
  const kept = keepConversations(storage, owner, now);
  const memory = createMemory(kept);
  let serials = 0;
  return {
    flush: memory.flush,
    get: memory.get,
    subscribe: memory.subscribe,
    listVersion: memory.listVersion,
    list: kept.list,
    newestAt: (runId, place) => kept.list(runId).find((one) => isSameStart(one.place, place))?.id,
    open(runId, id, fresh) {
      const known = memory.find(runId, id);
      if (known !== undefined) return known;
      const blank = { id, runId, ...fresh, system: undefined, draft: '', exchanges: [] };
      const conversation = kept.read(runId, id) ?? blank;
      const one: OpenChat = { serial: ++serials, conversation, chat: undefined, keeping: 'kept' };
      memory.set(one);
      return one;
    },
    change(serial, by) {
      const one = memory.get(serial);
      if (one === undefined) return;
      memory.put({ ...one, conversation: { ...one.conversation, ...by(one.conversation) } });
    },
    setChat(serial, chat) {
      const one = memory.get(serial);
      if (one === undefined) return;
      memory.set({ ...one, chat });
      memory.tell();
    },
    remove(runId, id) {
      const one = memory.find(runId, id);
      if (one !== undefined) memory.forget([one.serial]);
      kept.remove(runId, id);
      memory.noteList();
      memory.tell();
    },
    noteOther(name) {
      const place = readName(name, owner);
      if (place === undefined) return;
      memory.noteList();
      const one = memory.find(place.runId, place.id);
      const theirs = kept.read(place.runId, place.id);
      if (one !== undefined && theirs !== undefined) {
        const { serial, conversation } = one;
        if (memory.isUnsaved(serial) || isBusy(conversation.exchanges))
          memory.put({ ...one, conversation: { ...conversation, id: newConversationId() } });
        else memory.set({ ...one, conversation: theirs });
      }
      memory.tell();
    },
    close() {
      memory.forget();
      memory.tell();
    },
  };
}
