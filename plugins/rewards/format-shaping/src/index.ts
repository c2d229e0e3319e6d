import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';
import { partNames, type PartName, readParts } from './parts.js';

const meanings: Readonly<Record<PartName, string>> = {
  present: 'share of the demanded blocks that are opened once and say something',
  closed: 'share of the demanded blocks that are closed, too',
  order: 'the blocks are whole, in order, and there are no other tags',
  alone: 'the blocks are in order with nothing around them',
  action: 'at least one action that is legal in the environment',
};

const weight = (name: PartName, value: number): z.ZodDefault<z.ZodNumber> =>
  z.number().min(0).max(1000).default(value).describe(meanings[name]);

const weights = z
  .strictObject({
    present: weight('present', 1),
    closed: weight('closed', 1),
    order: weight('order', 1),
    alone: weight('alone', 1),
    action: weight('action', 4),
  })
  .refine((chosen) => Object.values(chosen).some((value) => value > 0), 'at least one weight must be above 0')
  .prefault({})
  .describe('what each part of the format counts, relative to the others');

export default defineReward({
  id: 'format-shaping',
  summary:
    'Partial credit for parts of the demanded format, from -1 (nothing of it) to 0 (all of it): a gradient for a model that does not know the format.',
  metrics: {
    complete: { unit: 'probability', formula: 'turns with every part of the format / turns' },
    ...Object.fromEntries(
      partNames.map((name) => [name, { unit: 'probability', formula: `mean over turns: ${meanings[name]}` }]),
    ),
  },
  params: z.strictObject({ weights }),
  score: ({ turns, thinkParts }, params) => {
    const read = turns.map((turn) => readParts(turn, thinkParts));
    const sum = partNames.reduce((total, name) => total + params.weights[name], 0);
    const missing = read.map((parts) =>
      partNames.reduce((total, name) => total + params.weights[name] * (1 - parts[name]), 0),
    );
    const mean = (values: readonly number[]): number =>
      values.length === 0 ? 0 : values.reduce((total, value) => total + value, 0) / values.length;
    return {
      // divided by the turns: an episode neither gains nor loses by its length
      perTurn: missing.map((value) => (value === 0 ? 0 : -value / sum / turns.length)),
      metrics: {
        complete: mean(read.map((parts) => (partNames.every((name) => parts[name] === 1) ? 1 : 0))),
        ...Object.fromEntries(partNames.map((name) => [name, mean(read.map((parts) => parts[name]))])),
      },
    };
  },
});
