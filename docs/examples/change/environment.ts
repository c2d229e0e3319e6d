import { createStream, defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';

const coins = [1, 4, 6] as const;

/** The fewest coins that pay each amount up to `most`, and the largest coin that such a payment may begin with. */
function planPayments(most: number): {
  readonly fewest: readonly number[];
  readonly first: readonly number[];
} {
  const fewest = [0];
  const first = [0];
  for (let amount = 1; amount <= most; amount++) {
    const best = [...coins]
      .filter((coin) => coin <= amount)
      .sort((a, b) => fewest[amount - a]! - fewest[amount - b]! || b - a)[0]!;
    fewest.push(fewest[amount - best]! + 1);
    first.push(best);
  }
  return { fewest, first };
}

export default defineEnvironment({
  id: 'change',
  summary: 'Pay an amount exactly, with as few coins as possible.',
  params: z.strictObject({
    most: z.int().min(4).max(60).default(24).describe('amounts are drawn from 4 to this'),
  }),
  instruction: 'Pay the amount exactly with coins of 1, 4 and 6. The largest coin is not always the best.',
  limits: { maxTurns: 6 },
  reads: () => ({ noise: false }),
  create: ({ most }) => {
    const { fewest, first } = planPayments(most);
    let left = 0;
    let allowed = 0;
    const text = (): string => `Pay ${left} with ${allowed} ${allowed === 1 ? 'coin' : 'coins'}.`;
    // only coins that fit can be paid; once nothing is left, no action matters
    const observe = () => ({
      text: text(),
      actions: coins.filter((coin) => coin <= Math.max(left, 1)).map(String),
    });
    return {
      reset: ({ state }) => {
        left = createStream(state).int(most - 3) + 4;
        allowed = fewest[left]!;
        return observe();
      },
      step: (action) => {
        const coin = Number(action);
        const valid = coin <= left && allowed > 0;
        if (valid) [left, allowed] = [left - coin, allowed - 1];
        const success = left === 0;
        return {
          observation: observe(),
          reward: success ? 1 : 0,
          done: success || allowed === 0,
          success,
          valid,
        };
      },
      oracle: () => {
        if (fewest[left]! > allowed) return [];
        const plan: string[] = [];
        for (let rest = left; rest > 0; rest -= first[rest]!) plan.push(String(first[rest]));
        return plan;
      },
      explain: ([coin]) => `${left} less ${coin} leaves ${left - Number(coin)}.`,
      facts: () => ({ left, allowed }),
    };
  },
});
