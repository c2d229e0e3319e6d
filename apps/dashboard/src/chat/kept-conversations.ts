/**
 * @file Conversations in the storage of this browser, apart for each key: the newest fifty, of the last thirty days, as far
 * as they fit. They go nowhere else.
 */
import { type Conversation, isBlank } from './conversation.js';
import { readStored, readSummary, type Summary, toStored } from './stored-form.js';
import { beginningOf, type BrowserStorage, nameOf, namesIn, readName } from './stored-names.js';

export const bounds = {
  conversations: 50,
  ageMs: 30 * 24 * 3_600_000,
  /** of all conversations of a key together; browsers store five million */
  characters: 3_000_000,
  longest: 1_500_000,
};

/** `full`: the browser has no room; `long`: it is longer than what is kept of one; `refused`: the browser stores nothing. */
export type Keeping = 'kept' | 'full' | 'long' | 'refused';

export interface KeptConversations {
  /** Those of a run, the newest first. */
  list(runId: string): Summary[];
  read(runId: string, id: string): Conversation | undefined;
  /** Keeps one; nothing is kept of one that is blank. The oldest make room. */
  write(conversation: Conversation): Keeping;
  remove(runId: string, id: string): void;
}

/** Opens the conversations of a key. What is too old goes, whosever it is. @param now milliseconds since the epoch */
export function keepConversations(
  storage: BrowserStorage | undefined,
  owner: string,
  now: () => number = Date.now,
): KeptConversations {
  if (storage !== undefined)
    for (const { name, changedAt } of byAge(storage, namesIn(storage, beginningOf())))
      if (now() - changedAt > bounds.ageMs) storage.removeItem(name);
  return {
    list: (runId) =>
      storage === undefined
        ? []
        : namesIn(storage, beginningOf(owner, runId))
            .flatMap((name) => {
              const { id } = readName(name, owner) ?? { id: '' };
              return readSummary(id, storage.getItem(name) ?? '') ?? [];
            })
            .sort((one, other) => other.changedAt - one.changedAt),
    read: (runId, id) => readStored(runId, id, storage?.getItem(nameOf(owner, runId, id)) ?? ''),
    write(conversation) {
      if (storage === undefined) return 'refused';
      const name = nameOf(owner, conversation.runId, conversation.id);
      if (isBlank(conversation)) {
        storage.removeItem(name);
        return 'kept';
      }
      const text = toStored(conversation, now());
      if (text.length > bounds.longest) return 'long';
      const others = namesIn(storage, beginningOf(owner)).filter((other) => other !== name);
      return store(storage, name, text, byAge(storage, others));
    },
    remove: (runId, id) => storage?.removeItem(nameOf(owner, runId, id)),
  };
}

interface Aged {
  readonly name: string;
  readonly length: number;
  readonly changedAt: number;
}

/** What is stored under names, the oldest first; what cannot be read is older than everything. */
const byAge = (storage: BrowserStorage, names: readonly string[]): Aged[] =>
  names
    .map((name) => {
      const text = storage.getItem(name) ?? '';
      return { name, length: text.length, changedAt: readSummary('', text)?.changedAt ?? 0 };
    })
    .sort((one, other) => one.changedAt - other.changedAt);

/** Stores a text; the oldest others go until all are within the bounds, and the browser has room. */
function store(storage: BrowserStorage, name: string, text: string, others: Aged[]): Keeping {
  let characters = others.reduce((sum, { length }) => sum + length, text.length);
  const removeOldest = (): boolean => {
    const oldest = others.shift();
    if (oldest === undefined) return false;
    storage.removeItem(oldest.name);
    characters -= oldest.length;
    return true;
  };
  while (characters > bounds.characters || others.length >= bounds.conversations) removeOldest();
  for (;;)
    try {
      storage.setItem(name, text);
      return 'kept';
    } catch (error) {
      if ((error as { name?: unknown } | null)?.name !== 'QuotaExceededError') return 'refused';
      if (!removeOldest()) return 'full';
    }
}
