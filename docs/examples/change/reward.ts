import { defineReward, type Evidence } from '@espalier/plugin-kit';
import { readThinkBlock, tokensOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';

const factsSchema = z.object({ left: z.number() });

export default defineReward({
  id: 'shown-sums',
  summary:
    'Takes for subtractions in the thoughts that are false, or begin with another amount than the one to pay.',
  params: z.strictObject({ each: z.number().min(0).default(0.1).describe('taken per false subtraction') }),
  metrics: {
    sums: { unit: 'subtractions', formula: 'subtractions named in the thoughts of a trajectory' },
    false: { unit: 'subtractions', formula: 'those of them that are wrong, or begin with a wrong amount' },
  },
  score: (trajectory, { each }) => {
    const evidence: Evidence[] = [];
    let sums = 0;
    const perTurn = trajectory.turns.map((turn) => {
      const block = readThinkBlock(turn);
      const facts = factsSchema.safeParse(turn.facts);
      if (block === undefined || !facts.success) return 0;
      const before = evidence.length;
      for (const match of block.text.matchAll(/(\d+) less (\d+) leaves (-?\d+)/g)) {
        sums += 1;
        const [text, from, coin, rest] = [match[0], ...match.slice(1).map(Number)] as [
          string,
          number,
          number,
          number,
        ];
        if (from === facts.data.left && from - coin === rest) continue;
        const start = block.start + match.index;
        const tokens = tokensOf(trajectory, turn.index, { start, end: start + text.length });
        if (tokens === undefined) continue;
        evidence.push({
          turn: turn.index,
          ...tokens,
          value: -each,
          note: `"${text}": ${facts.data.left} is left to pay`,
        });
      }
      return evidence.slice(before).reduce((sum, { value }) => sum + value, 0);
    });
    return { perTurn, evidence, metrics: { sums, false: evidence.length } };
  },
});
