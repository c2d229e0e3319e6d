import { defineReward, type Evidence } from '@espalier/plugin-kit';
import { tokensOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { judgePredictions } from './judge.js';

const params = z.strictObject({
  claims: z
    .number()
    .min(1)
    .max(20)
    .default(1)
    .describe('predictions that come true, each worth at most 1, that earn all a turn can'),
  miss: z.number().min(0).max(10).default(1).describe('what a wrong prediction takes, in right ones'),
});

export default defineReward({
  id: 'prediction',
  summary:
    'Pays up to 1 for what the reasoning says will happen and then does; what holds anyway, or already held, pays nothing.',
  metrics: {
    right: {
      unit: 'probability',
      formula: 'predictions that came true / predictions that can be judged; 1 without any',
    },
    predictions: { unit: '1', formula: 'mean over turns of the predictions that can be judged' },
    news: {
      unit: '1',
      formula: 'mean over turns of the weight of right predictions of what was not so before',
    },
  },
  params,
  score: (trajectory, { claims: wanted, miss }) => {
    const { turns } = trajectory;
    const evidence: Evidence[] = [];
    const sums = { right: 0, judged: 0, news: 0 };
    const missed = new Set<string>();
    const perTurn = turns.map((turn) => {
      // a constant text is right at last: what was predicted wrongly earlier in the episode earns nothing
      const judged = judgePredictions(trajectory, turn).map((one) =>
        missed.has(one.key) ? { ...one, weight: 0 } : one,
      );
      const right = judged.filter(({ isRight }) => isRight);
      const wrong = judged.filter(({ isRight }) => !isRight);
      for (const { key } of wrong) missed.add(key);
      const news = right.reduce((sum, { weight }) => sum + weight, 0);
      sums.right += right.length;
      sums.judged += judged.length;
      sums.news += news;
      const gain = Math.min(1, news / wanted);
      const loss = Math.min(gain, (miss * wrong.length) / wanted);
      for (const { piece, key, isRight, weight } of judged) {
        const amount = isRight ? (news === 0 ? 0 : (gain * weight) / news) : -loss / wrong.length;
        const tokens = tokensOf(trajectory, turn.index, piece);
        const note = `${isRight ? 'came true' : 'did not come true'}: ${key}`.slice(0, 200);
        if (tokens !== undefined && amount !== 0)
          evidence.push({ turn: turn.index, ...tokens, value: amount / turns.length, note });
      }
      return (gain - loss) / turns.length;
    });
    const mean = (sum: number): number => (turns.length === 0 ? 0 : sum / turns.length);
    return {
      perTurn,
      evidence: evidence.slice(0, trajectory.tokens.length),
      metrics: {
        right: sums.judged === 0 ? 1 : sums.right / sums.judged,
        predictions: mean(sums.judged),
        news: mean(sums.news),
      },
    };
  },
});
