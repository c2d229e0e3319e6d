import { defineReward, type Evidence } from '@espalier/plugin-kit';
import { readThinkBlock, saysSomething, tokensOf } from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { judgeLength, type LengthRule } from './judge-length.js';

const defaultLimit = 256;

const params = z
  .strictObject({
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`tokens of reasoning in a turn that lose 1; default ${defaultLimit} without \`target\``),
    buffer: z
      .int()
      .min(1)
      .optional()
      .describe('tokens before the limit over which the loss grows from 0; default half of it'),
    target: z
      .int()
      .min(1)
      .optional()
      .describe('tokens that a turn should reason; every other number loses its distance / target'),
  })
  .refine(
    ({ limit, buffer, target }) => target === undefined || (limit === undefined && buffer === undefined),
    'give either `target` or `limit` with `buffer`',
  )
  .refine(
    ({ limit = defaultLimit, buffer = 1 }) => buffer <= limit,
    `\`buffer\` must not exceed \`limit\` (default ${defaultLimit})`,
  )
  .transform(({ limit = defaultLimit, buffer, target }): LengthRule =>
    target === undefined ? { limit, buffer: buffer ?? Math.ceil(limit / 2) } : { target },
  );

export default defineReward({
  id: 'length',
  summary:
    'Takes up to 1 from an episode whose reasoning is too long, or not as long as asked for; the surplus tokens lose it.',
  metrics: {
    tokens: { unit: 'tokens', formula: 'mean over turns of the sampled tokens of reasoning' },
    over: { unit: 'probability', formula: 'turns that lose something for being too long / turns' },
  },
  params,
  score: (trajectory, rule) => {
    const { turns, spans } = trajectory;
    const evidence: Evidence[] = [];
    let tokens = 0;
    let over = 0;
    const perTurn = turns.map((turn) => {
      const block = readThinkBlock(turn);
      if (block === undefined || !saysSomething(block.text)) return -1 / turns.length;
      // where reasoning is optional, a block that was never closed has no span of its own
      const span =
        spans.find((one) => one.kind === 'think' && one.turn === turn.index) ??
        tokensOf(trajectory, turn.index, block);
      const length = span === undefined ? 0 : span.end - span.start;
      tokens += length;
      const { loss, surplus } = judgeLength(length, rule);
      const value = loss === 0 ? 0 : -loss / turns.length;
      if (span === undefined || loss === 0) return value;
      if (surplus > 0) over += 1;
      // what is missing was decided by the token that closed the block
      const range = { start: span.end - Math.max(1, surplus), end: span.end };
      const note = surplus > 0 ? `${surplus} tokens too many` : `${length} tokens are too few`;
      evidence.push({ turn: turn.index, ...range, value, note });
      return value;
    });
    const mean = (sum: number): number => (turns.length === 0 ? 0 : sum / turns.length);
    return { perTurn, evidence, metrics: { tokens: mean(tokens), over: mean(over) } };
  },
});
