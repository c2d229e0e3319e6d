import { defineReward, type Evidence } from '@espalier/plugin-kit';
import { readThinkBlock, saysSomething, tokensOf, wordsOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { findRepeats } from './repeats.js';

const params = z.strictObject({
  words: z
    .int()
    .min(2)
    .max(20)
    .default(4)
    .describe('words in a row that count when they come again in most of a sentence, or twice as many'),
  across: z
    .enum(['reply', 'episode'])
    .default('reply')
    .describe('where they must not come again: in the same reply, or in any later one of the episode'),
});

export default defineReward({
  id: 'repetition',
  summary:
    'Takes up to 1 from an episode for the share of its reasoning that repeats itself; the repeated tokens lose it.',
  metrics: {
    repeated: {
      unit: 'probability',
      formula: 'mean over turns: repeated words of the think block / its words',
    },
    silent: {
      unit: 'probability',
      formula: 'turns without reasoning, which lose as much as pure repetition / turns',
    },
  },
  params,
  score: (trajectory, { words: length, across }) => {
    const { turns } = trajectory;
    const evidence: Evidence[] = [];
    let seen = new Set<string>();
    let silent = 0;
    const shares = turns.map((turn) => {
      const block = readThinkBlock(turn);
      if (block === undefined || !saysSomething(block.text)) {
        silent += 1;
        return 1;
      }
      if (across === 'reply') seen = new Set();
      const words = wordsOf(block.text, block.start);
      const repeats = findRepeats(turn.response, words, length, seen);
      let count = 0;
      for (const { from, to } of repeats) {
        count += to - from;
        const piece = { start: words[from]?.start ?? 0, end: words[to - 1]?.end ?? 0 };
        const tokens = tokensOf(trajectory, turn.index, piece);
        const value = -(to - from) / words.length / turns.length;
        if (tokens !== undefined)
          evidence.push({ turn: turn.index, ...tokens, value, note: `repeats ${to - from} words` });
      }
      return count / words.length;
    });
    const mean = (sum: number): number => (turns.length === 0 ? 0 : sum / turns.length);
    return {
      perTurn: shares.map((share) => (share === 0 ? 0 : -share / turns.length)),
      evidence,
      metrics: {
        repeated: mean(shares.reduce((sum, share) => sum + share, 0) - silent),
        silent: mean(silent),
      },
    };
  },
});
