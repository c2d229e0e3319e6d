import { describe, expect, it } from 'vitest';
import type { Conversation, Exchange } from './conversation.js';
import { titleOf } from './conversation.js';
import { newConversation } from './chat-place.js';
import { bounds, keepConversations } from './kept-conversations.js';
import { readStored, toStored } from './stored-form.js';
import { nameOf } from './stored-names.js';
import { FakeStorage } from './testing/fake-storage.js';

const sampling = { temperature: 0.7, topP: 0.9, topK: 5, maxTokens: 8 };
const exchange: Exchange = {
  message: 'Go <b>left</b>\u0000',
  sampling,
  step: 4,
  opening: '<think>',
  text: 'né',
  tokens: [
    { id: 3, text: 'n', logprob: -0.25 },
    { id: 4, text: 'é', logprob: null },
  ],
  prompt: [7, 8],
  state: 'stop',
  error: undefined,
};
const second: Exchange = { ...exchange, message: undefined, prompt: [7, 8, 3, 4, 9], step: 6 };
const one: Conversation = {
  id: 'a',
  runId: 'r/1',
  place: { trajectory: 'train/1/0/0', turn: 2, isAfter: true },
  system: '',
  sampling,
  draft: 'and then',
  exchanges: [exchange, second],
};
const saying = (id: string, draft = 'hello'): Conversation => ({
  ...one,
  id,
  place: newConversation,
  exchanges: [],
  draft,
});

describe('a conversation that is kept', () => {
  it('is read as it was, with tokens, probabilities and settings, and repeats no prompt', () => {
    const text = toStored(one, 5);
    expect(readStored('r/1', 'a', text)).toEqual(one);
    expect(text.match(/\[7,8/g)).toHaveLength(1);
  });

  it.each(['waiting', 'replying'] as const)('has a reply that was %s as one that was cut off', (state) => {
    const half = { ...one, exchanges: [exchange, { ...second, state }] };
    expect(readStored('r/1', 'a', toStored(half, 5))?.exchanges.map((of) => of.state)).toEqual([
      'stop',
      'cut',
    ]);
  });

  it('is nothing where the text is odd', () => {
    const text = toStored(one, 5);
    const odd = [
      '',
      'null\nnull',
      text.replace('"form":1', '"form":2'),
      text.slice(0, -9),
      text.replace('"ids":[3,4]', '"ids":[3,"4"]'),
      text.replace('"shared":4', '"shared":400'),
    ];
    expect(odd.map((each) => readStored('r/1', 'a', each))).toEqual(odd.map(() => undefined));
  });

  it('is called by its first words, else by where it begins', () => {
    const emoji = '😀';
    expect(titleOf(one)).toBe('Go <b>left</b>\u0000');
    expect(titleOf({ ...one, exchanges: [second] })).toBe('Turn 3 of train/1/0/0');
    expect(titleOf(saying('a', ' two\n words '))).toBe('two words');
    expect(titleOf(saying('a', `${'x'.repeat(59)}${emoji}y`))).toBe(`${'x'.repeat(59)}…`);
  });
});

describe('the storage of conversations', () => {
  it('lists those of a run and a key, the newest first, and deletes one', () => {
    const storage = new FakeStorage();
    let time = 1;
    const kept = keepConversations(storage, 'key', () => time++);
    for (const of of [one, saying('b'), { ...saying('c'), runId: 'r' }]) expect(kept.write(of)).toBe('kept');
    expect(kept.list('r/1')).toEqual([
      expect.objectContaining({ id: 'b', title: 'hello', step: null, changedAt: 2 }),
      expect.objectContaining({ id: 'a', step: 6, exchanges: 2, place: one.place, changedAt: 1 }),
    ]);
    const others = keepConversations(storage, 'ke', () => time);
    expect([others.list('r/1'), others.read('r/1', 'a')]).toEqual([[], undefined]);
    kept.remove('r/1', 'a');
    expect(kept.list('r/1').map(({ id }) => id)).toEqual(['b']);
    // nothing is left of one that is blank
    kept.write({ ...saying('b', ' '), system: undefined });
    expect([kept.list('r/1'), storage.length]).toEqual([[], 1]);
  });

  it('keeps the newest fifty, as far as they fit together', () => {
    const storage = new FakeStorage();
    let time = 1;
    const kept = keepConversations(storage, 'key', () => time++);
    keepConversations(storage, 'other', () => time).write(saying('of-other'));
    for (let at = 0; at <= bounds.conversations; at++) kept.write(saying(`c${at}`));
    expect(kept.list('r/1').map(({ id }) => id)).toEqual(
      Array.from({ length: bounds.conversations }, (_, at) => `c${bounds.conversations - at}`),
    );
    for (const id of ['x', 'y', 'z']) kept.write(saying(id, 'd'.repeat(1_400_000)));
    expect(kept.list('r/1').map(({ id }) => id)).toEqual(['z', 'y']);
    expect(kept.write(saying('huge', 'd'.repeat(bounds.longest)))).toBe('long');
    expect(keepConversations(storage, 'other', () => time).list('r/1')).toHaveLength(1);
  });

  it('forgets after thirty days, whosever it is, and what it cannot read', () => {
    const storage = new FakeStorage();
    keepConversations(storage, 'other', () => 0).write(saying('old'));
    keepConversations(storage, 'key', () => 1000).write(saying('young'));
    storage.setItem(nameOf('key', 'r/1', 'odd'), '{');
    storage.setItem('espalier-theme', 'dark');
    const later = keepConversations(storage, 'key', () => bounds.ageMs + 500);
    expect(later.list('r/1').map(({ id }) => id)).toEqual(['young']);
    expect(storage.length).toBe(2);
  });

  it('makes room in a browser that is full, and says when there is none, or no storage', () => {
    const storage = new FakeStorage();
    const kept = keepConversations(storage, 'key');
    expect([kept.write(saying('a')), kept.write(saying('b'))]).toEqual(['kept', 'kept']);
    storage.quota = storage.used;
    expect(kept.write(saying('c'))).toBe('kept');
    expect(kept.list('r/1')).toHaveLength(2);
    storage.quota = 10;
    expect(kept.write(saying('d'))).toBe('full');
    storage.refuses = true;
    expect(kept.write(saying('d'))).toBe('refused');
    const none = keepConversations(undefined, 'key');
    expect([none.write(one), none.list('r/1'), none.read('r/1', 'a')]).toEqual(['refused', [], undefined]);
  });
});
