import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { type ArmPair, namedPairs, professions } from './arms.js';
import { createBandit } from './bandit.js';

const name = z.string().regex(/^\S(.*\S)?$/, 'a name without spaces at its ends');

const params = z
  .strictObject({
    arms: z
      .union([
        z.enum(['phoenix-dragon', 'trader-librarian', 'teacher-engineer', 'librarian-trader', 'professions']),
        z.strictObject({ low: name.describe('the safe arm'), high: name.describe('the better arm') }),
      ])
      .default('phoenix-dragon')
      .describe(
        'names of the arms, written low-high; `professions` draws one of RAGEN-2’s pairs per seed; or your own',
      ),
    split: z
      .enum(['train', 'test'])
      .optional()
      .describe('which pairs `professions` draws from: 12 for train (default), 8 for test'),
    reversed: z
      .boolean()
      .default(false)
      .describe('swap the meaning of every pair: the low name becomes the better arm'),
    lowScore: z.number().default(0.1).describe('points of the low arm'),
    highMissScore: z.number().default(0).describe('points of the high arm when it misses'),
    highHitScore: z.number().default(1).describe('points of the high arm when it hits'),
    hitProbability: z.number().min(0).max(1).default(0.25).describe('chance that the high arm hits'),
  })
  .refine(({ arms, split }) => split === undefined || arms === 'professions', {
    path: ['split'],
    message: 'acts only with arms: professions; remove it',
  })
  .refine(({ arms }) => typeof arms === 'string' || arms.low !== arms.high, {
    path: ['arms'],
    message: 'both arms have the same name; give them different ones',
  });

function pairsOf({ arms, split, reversed }: z.output<typeof params>): readonly ArmPair[] {
  const pairs: readonly ArmPair[] =
    typeof arms !== 'string'
      ? [[arms.low, arms.high]]
      : arms === 'professions'
        ? professions[split ?? 'train']
        : [namedPairs[arms]];
  return reversed ? pairs.map(([low, high]) => [high, low] as const) : pairs;
}

// both versions of RAGEN pay alike
const payouts = { lowScore: 0.1, highMissScore: 0, highHitScore: 1, hitProbability: 0.25 };

export default defineEnvironment({
  id: 'bandit',
  summary: 'Two arms, one choice; success is the arm that pays more on average, whatever it pays this time.',
  params,
  presets: {
    r1: { options: { ...payouts, arms: 'phoenix-dragon', reversed: false } },
    r2: { options: { ...payouts, arms: 'professions', reversed: false } },
  },
  instruction: () => '',
  limits: () => ({ maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 }),
  reads: ({ hitProbability, highHitScore, highMissScore }) => ({
    noise: hitProbability > 0 && hitProbability < 1 && highHitScore !== highMissScore,
    actions: 1,
  }),
  create: (options) =>
    createBandit({
      pairs: pairsOf(options),
      low: options.lowScore,
      highMiss: options.highMissScore,
      highHit: options.highHitScore,
      hitProbability: options.hitProbability,
    }),
});
