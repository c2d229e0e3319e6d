import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';

export default defineReward({
  id: 'format',
  summary:
    'The penalty (rollout.formatPenalty) of each turn whose format is invalid or whose answer names no action, or an unknown one.',
  metrics: {
    invalid_turns: {
      unit: 'probability',
      formula: 'turns with a format penalty: invalid format, no action, or an unknown action / turns',
    },
  },
  params: z.strictObject({}),
  score: ({ turns }) => {
    const invalid = turns.filter((turn) => turn.formatPenalty < 0).length;
    return {
      perTurn: turns.map((turn) => turn.formatPenalty),
      metrics: { invalid_turns: turns.length === 0 ? 0 : invalid / turns.length },
    };
  },
});
