import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newConversation } from './chat-place.js';
import { createChatStore } from './chat-store.js';
import type { Exchange } from './conversation.js';
import { nameOf } from './stored-names.js';
import { FakeStorage } from './testing/fake-storage.js';

const sampling = { temperature: 1, topP: 1, topK: 0, maxTokens: 8 };
const fresh = { place: newConversation, sampling };
const waiting: Exchange = {
  message: 'Hello',
  sampling,
  step: 1,
  opening: '',
  text: '',
  tokens: [],
  prompt: [],
  state: 'waiting',
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the conversations of a page', () => {
  it('are kept a moment after they change, and found again by a page that is opened later', () => {
    const storage = new FakeStorage();
    const store = createChatStore(storage, 'key');
    const { serial } = store.open('run', 'a', fresh);
    expect(store.open('run', 'a', fresh).serial).toBe(serial);
    store.change(serial, () => ({ draft: 'h' }));
    store.change(serial, ({ draft }) => ({ draft: `${draft}i` }));
    expect(storage.length).toBe(0);
    vi.advanceTimersByTime(500);
    const later = createChatStore(storage, 'key');
    expect(later.newestAt('run', newConversation)).toBe('a');
    expect(later.newestAt('run', { ...newConversation, trajectory: 't', turn: 0 })).toBeUndefined();
    expect(later.open('run', 'a', fresh).conversation.draft).toBe('hi');
    expect(createChatStore(storage, 'another').open('run', 'a', fresh).conversation.draft).toBe('');
  });

  it('say that the browser has no room', () => {
    const storage = new FakeStorage();
    storage.quota = 5;
    const store = createChatStore(storage, 'key');
    const { serial } = store.open('run', 'a', fresh);
    store.change(serial, () => ({ draft: 'hi' }));
    store.flush();
    expect(store.get(serial)).toMatchObject({ keeping: 'full', conversation: { draft: 'hi' } });
  });

  it('are not written again when their key has signed out, whatever still arrives', () => {
    const storage = new FakeStorage();
    const store = createChatStore(storage, 'key');
    const { serial } = store.open('run', 'a', fresh);
    store.change(serial, () => ({ exchanges: [waiting] }));
    store.close();
    store.change(serial, () => ({ draft: 'late' }));
    store.flush();
    vi.advanceTimersByTime(1000);
    expect([store.get(serial), storage.length]).toEqual([undefined, 0]);
  });

  it('take over what another tab says, and part from it where both go on', () => {
    const storage = new FakeStorage();
    const [one, other] = [createChatStore(storage, 'key'), createChatStore(storage, 'key')];
    const mine = one.open('run', 'a', fresh).serial;
    one.change(mine, () => ({ draft: 'first' }));
    one.flush();
    const theirs = other.open('run', 'a', fresh).serial;
    other.change(theirs, () => ({ draft: 'second' }));
    other.flush();
    one.noteOther(nameOf('key', 'run', 'a'));
    expect(one.get(mine)?.conversation).toMatchObject({ id: 'a', draft: 'second' });

    one.change(mine, () => ({ exchanges: [waiting] }));
    one.flush();
    other.change(theirs, () => ({ draft: 'third' }));
    other.flush();
    one.noteOther(nameOf('key', 'run', 'a'));
    one.flush();
    const parted = one.get(mine)?.conversation;
    expect(parted).toMatchObject({ draft: 'second', exchanges: [waiting] });
    expect(parted?.id).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(one.list('run').map(({ id }) => id))).toEqual(new Set(['a', parted?.id]));
    // of another key, or no conversation
    one.noteOther(nameOf('other', 'run', 'a'));
    one.noteOther(null);
    one.remove('run', parted?.id ?? '');
    expect([one.get(mine), one.list('run').length]).toEqual([undefined, 1]);
  });
});
