import { defineReward, type Evidence, type UnscoredTrajectory } from '@espalier/plugin-kit';
import { readThinkBlock, saysSomething, tokensOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { judgeLength, type LengthRule } from './judge-length.js';

/** What is counted, and the rule that judges it. */
type LengthParams = LengthRule & { readonly of: 'reasoning' | 'reply' };

const defaultLimit = 256;

const params = z
  .strictObject({
    of: z
      .enum(['reasoning', 'reply'])
      .default('reasoning')
      .describe('the tokens that count: those of the think block, or all that are sampled in a turn'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`tokens of a turn that lose 1; default ${defaultLimit} without \`target\``),
    buffer: z
      .int()
      .min(1)
      .optional()
      .describe('tokens before the limit over which the loss grows from 0; default half of it'),
    target: z
      .int()
      .min(1)
      .optional()
      .describe('tokens that a turn should have; every other number loses its distance / target'),
  })
  .refine(
    ({ limit, buffer, target }) => target === undefined || (limit === undefined && buffer === undefined),
    'give either `target` or `limit` with `buffer`',
  )
  .refine(
    ({ limit = defaultLimit, buffer = 1 }) => buffer <= limit,
    `\`buffer\` must not exceed \`limit\` (default ${defaultLimit})`,
  )
  .transform(({ of, limit = defaultLimit, buffer, target }): LengthParams => ({
    of,
    ...(target === undefined ? { limit, buffer: buffer ?? Math.ceil(limit / 2) } : { target }),
  }));

export default defineReward({
  id: 'length',
  summary:
    'Takes up to 1 from an episode whose reasoning or replies are too long, or not as long as asked for; the surplus tokens lose it.',
  metrics: {
    tokens: { unit: 'tokens', formula: 'mean over turns of the sampled tokens that count' },
    over: { unit: 'probability', formula: 'turns that lose something for being too long / turns' },
  },
  params,
  score: (trajectory, rule) => {
    const { turns } = trajectory;
    const evidence: Evidence[] = [];
    let tokens = 0;
    let over = 0;
    const perTurn = turns.map((turn) => {
      const counted = rule.of === 'reply' ? turn.sampled : reasoningOf(trajectory, turn);
      if (counted === 'silent') return -1 / turns.length;
      const length = counted === undefined ? 0 : counted.end - counted.start;
      tokens += length;
      const { loss, surplus } = judgeLength(length, rule);
      const value = loss === 0 ? 0 : -loss / turns.length;
      if (counted === undefined || length === 0 || loss === 0) return value;
      if (surplus > 0) over += 1;
      // what is missing was decided by the token that closed the block, or the reply
      const range = { start: counted.end - Math.max(1, surplus), end: counted.end };
      const note = surplus > 0 ? `${surplus} tokens too many` : `${length} tokens are too few`;
      evidence.push({ turn: turn.index, ...range, value, note });
      return value;
    });
    const mean = (sum: number): number => (turns.length === 0 ? 0 : sum / turns.length);
    return { perTurn, evidence, metrics: { tokens: mean(tokens), over: mean(over) } };
  },
});

/** The tokens of the think block of a turn; undefined: none of them was sampled; `silent`: it says nothing. */
function reasoningOf(
  trajectory: UnscoredTrajectory,
  turn: UnscoredTrajectory['turns'][number],
): { readonly start: number; readonly end: number } | undefined | 'silent' {
  const block = readThinkBlock(turn);
  if (block === undefined || !saysSomething(block.text)) return 'silent';
  // where reasoning is optional, a block that was never closed has no span of its own
  const span = trajectory.spans.find((one) => one.kind === 'think' && one.turn === turn.index);
  return span ?? tokensOf(trajectory, turn.index, block);
}
