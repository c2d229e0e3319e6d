import { describe, expect, it } from 'vitest';
import { chooseCheckpoint, contextAfter, type Exchange, meanLogprob, withPiece } from './conversation.js';

const empty: Exchange = {
  message: 'Hello',
  sampling: { temperature: 1, topP: 1, topK: 0, maxTokens: 8 },
  step: 4,
  opening: '',
  text: '',
  tokens: [],
  prompt: [],
  state: 'waiting',
};
const token = (id: number, logprob: number | null = -1) => ({ id, text: 'x', logprob });

describe('a conversation', () => {
  it('grows by the pieces that arrive, and ends with the last', () => {
    const first = withPiece(empty, { text: 'a', tokens: [token(1)], prompt: [7, 8] });
    expect([first.state, first.text, first.prompt]).toEqual(['replying', 'a', [7, 8]]);
    const last = withPiece(first, { text: 'b', tokens: [token(2)], end: 'length' });
    expect([last.state, last.text, last.tokens.length, last.prompt]).toEqual(['length', 'ab', 2, [7, 8]]);
  });

  it('continues behind the very ids, passing over what failed before it had a prompt', () => {
    const done = withPiece(empty, { text: 'a', tokens: [token(1), token(2)], prompt: [7], end: 'stop' });
    const start = { trajectory: 'train/1/0/0', turn: 1 };
    expect(contextAfter([], start)).toBe(start);
    expect(contextAfter([{ ...empty, state: 'failed' }], start)).toBe(start);
    expect(contextAfter([done, { ...empty, state: 'failed' }], start)).toEqual({ before: [7, 1, 2] });
  });

  it('has a mean over the tokens whose log-probability is known', () => {
    expect(meanLogprob([token(1, -1), token(2, -2), token(3, null)])).toBe(-1.5);
    expect(meanLogprob([token(1, null)])).toBeUndefined();
  });

  it('is with the checkpoint at a step or the newest before it', () => {
    const stored = [{ step: 2 }, { step: 4 }];
    const choices = [1, 2, 3, 9].map((step) => chooseCheckpoint(stored, step)?.step);
    expect(choices).toEqual([2, 2, 2, 4]);
    expect(chooseCheckpoint([], 3)).toBeUndefined();
  });
});
