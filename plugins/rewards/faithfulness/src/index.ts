import { defineReward, type Evidence } from '@espalier/plugin-kit';
import { judgeClaim, readStatements, tokensOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { weighClaims } from './weigh.js';

const params = z.strictObject({
  claims: z
    .number()
    .min(1)
    .max(20)
    .default(2)
    .describe('true claims, each worth at most 1, that earn all a turn can'),
  lie: z.number().min(0).max(10).default(1).describe('what a false claim takes, in true claims'),
});

export default defineReward({
  id: 'faithfulness',
  summary:
    'Pays up to 1 for true claims in the reasoning about positions, adjacency, prices and numbers, checked against the facts; false ones take it back.',
  metrics: {
    precision: {
      unit: 'probability',
      formula: 'true claims / claims that the facts can judge; 1 without claims',
    },
    claims: { unit: '1', formula: 'mean over turns of the claims that the facts can judge' },
    counted: { unit: '1', formula: 'mean over turns of the weight of true claims that count' },
  },
  params,
  score: (trajectory, { claims: wanted, lie }) => {
    const { turns } = trajectory;
    const evidence: Evidence[] = [];
    const said = new Set<string>();
    const sums = { right: 0, judged: 0, counted: 0 };
    const perTurn = turns.map((turn) => {
      const claims = readStatements(turn).map((claim) => ({ claim, ...judgeClaim(claim, turn.facts) }));
      // a claim that came true again after it was false may count again
      for (const { claim, holds } of claims) if (holds === false) said.delete(claim.key);
      const { value, parts, right, judged, counted } = weighClaims(claims, said, { wanted, lie });
      sums.right += right;
      sums.judged += judged;
      sums.counted += counted;
      for (const { claim, amount } of parts) {
        const tokens = tokensOf(trajectory, turn.index, claim);
        const note = `${amount > 0 ? 'true' : 'false'}: ${claim.key}`.slice(0, 200);
        if (tokens !== undefined)
          evidence.push({ turn: turn.index, ...tokens, value: amount / turns.length, note });
      }
      return value / turns.length;
    });
    const mean = (sum: number): number => (turns.length === 0 ? 0 : sum / turns.length);
    return {
      perTurn,
      evidence: evidence.slice(0, trajectory.tokens.length),
      metrics: {
        precision: sums.judged === 0 ? 1 : sums.right / sums.judged,
        claims: mean(sums.judged),
        counted: mean(sums.counted),
      },
    };
  },
});
