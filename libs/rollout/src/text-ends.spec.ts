import type { Tokenizer } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { findTextEnds } from './text-ends.js';
import { createContext } from './context.js';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { chatMl, createWordTokenizer } from './testing/word-tokenizer.js';

/** One token per byte, as the worst case of byte-level tokenizers. */
const bytes = {
  decode: (tokens: ArrayLike<number>) => new TextDecoder().decode(Uint8Array.from(tokens)),
} as unknown as Tokenizer;

const ends = (text: string): number[] => [
  ...findTextEnds(bytes, Int32Array.from(new TextEncoder().encode(text)), undefined),
];

describe('findTextEnds', () => {
  it('counts characters', () => {
    expect(ends('go on')).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives the bytes of one character the place at which it begins, but for the last', () => {
    expect(ends('a😀é!')).toEqual([1, 1, 1, 1, 3, 3, 4, 5]);
  });

  it('ends at the end of the text, whatever bytes there are', () => {
    for (const broken of [[0xff], [0x61, 0xf0, 0x9f], Array.from({ length: 40 }, () => 0x80)]) {
      const found = findTextEnds(bytes, Int32Array.from(broken), undefined);
      expect(found.at(-1)).toBe(bytes.decode(broken).length);
      expect([...found]).toEqual([...found].sort((a, b) => a - b));
    }
  });
});

it('a conversation knows where the text of each sampled token ends, behind the tag that was given', () => {
  const tokenizer = createWordTokenizer(chatMl);
  const limits = { maxTurns: 2, maxActions: 2, maxActionsPerTurn: 1 };
  const context = createContext(tokenizer, {
    instruction: '',
    limits,
    format: resolvePrompt(),
    maxResponseTokens: 20,
  });
  for (const reply of ['go</think><answer>Up</answer>', 'hm</think>']) {
    context.appendObservation({ observation: { text: 'P_G' }, actionsLeft: 2 });
    const { response, sampled } = context.appendResponseText(reply);
    const tokens = context.tokens();
    const textEnds = context.textEnds();
    expect(textEnds).toHaveLength(tokens.length);
    let from = '<think>'.length;
    for (let t = sampled.start; t < sampled.end - 1; t++) {
      expect(response.slice(from, textEnds[t])).toBe(tokenizer.decode(tokens.subarray(t, t + 1)));
      from = textEnds[t] ?? 0;
    }
    expect(textEnds[sampled.end - 1]).toBe(response.length);
    expect(textEnds[sampled.start - 1]).toBe(0);
  }
});
