import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';

const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

export default defineReward({
  id: 'my-plugin',
  summary: 'Takes a little for every word of reasoning.',
  params: z.strictObject({
    perWord: z.number().min(0).default(0.001).describe('taken per word'),
  }),
  metrics: { words: { unit: 'words', formula: 'words of reasoning in the trajectory' } },
  score: ({ turns }, { perWord }) => {
    const words = turns.map(({ think }) => countWords(think));
    return {
      perTurn: words.map((count) => -perWord * count),
      metrics: { words: words.reduce((sum, count) => sum + count, 0) },
    };
  },
});
