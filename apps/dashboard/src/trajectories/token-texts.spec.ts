import { describe, expect, it } from 'vitest';
import { placeOf, tokensByTurn } from './token-texts.js';

const turnOf = (response: string, start: number, end: number) =>
  ({ index: 0, response, sampled: { start, end } }) as never;
const span = (kind: 'think' | 'answer' | 'control', start: number, end: number) => ({
  kind,
  start,
  end,
  turn: 0,
});

describe('tokens', () => {
  it('have their part of the response, without the tag that was given', () => {
    const [turn] = tokensByTurn({
      tokens: [9, 9, 1, 2, 3],
      logprobs: [null, null, -0.1, -7, null],
      entropies: [null, null, 0.2, 1, 0],
      textEnds: [0, 0, 10, 19, 19],
      spans: [span('think', 2, 4), span('control', 4, 5)],
      turns: [turnOf('<think>try</think>', 2, 5)],
    });
    expect(turn?.read).toBe(2);
    expect(turn?.sampled.map(({ text, kind }) => [text, kind])).toEqual([
      ['try', 'think'],
      ['</think>', 'think'],
      ['', 'control'],
    ]);
    expect(turn?.sampled.map((token) => placeOf(token, 'logprob'))).toEqual([
      expect.closeTo(0.1 / 6, 9),
      1,
      undefined,
    ]);
    expect(turn?.sampled.map((token) => placeOf(token, 'entropy'))).toEqual([0.05, 0.25, 0]);
  });

  it('that the model sampled itself keep the tag', () => {
    const [turn] = tokensByTurn({
      tokens: [1, 2],
      logprobs: [-1, -1],
      entropies: [0, 0],
      textEnds: [7, 9],
      spans: [],
      turns: [turnOf('<think>go', 0, 2)],
    });
    expect(turn?.sampled.map(({ text }) => text)).toEqual(['<think>', 'go']);
  });

  it('without recorded texts have none', () => {
    const [turn] = tokensByTurn({
      tokens: [1],
      logprobs: [-1],
      entropies: [0],
      textEnds: null,
      spans: [],
      turns: [turnOf('x', 0, 1)],
    });
    expect(turn?.sampled[0]?.text).toBeUndefined();
  });
});
