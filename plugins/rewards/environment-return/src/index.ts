import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';

export default defineReward({
  id: 'environment-return',
  summary: 'What the environment paid, turn by turn.',
  metrics: {
    positive_turns: { unit: 'probability', formula: 'turns whose environment reward is above 0 / turns' },
  },
  params: z.strictObject({}),
  score: ({ turns }) => {
    const perTurn = turns.map((turn) => turn.reward);
    const paid = perTurn.filter((reward) => reward > 0).length;
    return { perTurn, metrics: { positive_turns: turns.length === 0 ? 0 : paid / turns.length } };
  },
});
