/**
 * @file What a sweep is: a family of runs (a configuration, changes to it, a grid of options or named variants, seeds) and the
 * claims that are decided from their results. Rates are shares of 1.
 */
import { z } from 'zod';

const changes = z
  .record(z.string(), z.unknown())
  .describe('options to change by dotted path, e.g. optimizer.learningRate: 1e-3');

const point = z.strictObject({
  config: z.string().min(1).optional().describe('run configuration, as seen from this file'),
  set: changes.default({}),
});

/** Letters, digits and hyphens: part of the name of a run folder. */
const word = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);

const named = z.record(word, point);

const axis = z.union([z.array(z.unknown()).min(1), named]);

const names = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .describe('variants by name; of several, the mean');

const moment = z
  .union([z.enum(['start', 'end', 'peak', 'lowest']), z.int().min(0)])
  .describe(
    'start and end: the first and the last value (of a metric of training, the mean of five); peak and lowest: of each run; a number: the last value up to this step',
  );

const expectation = {
  metric: z.string().min(1).describe('e.g. validation/success_rate, which is compared state by state'),
  expect: z
    .enum(['higher', 'lower', 'not-lower', 'not-higher', 'equal'])
    .describe(
      'higher, lower: by more than the margin; not-lower, not-higher: up to the margin; equal: within the margin',
    ),
  margin: z.number().min(0).default(0).describe('in units of the metric'),
};

const event = z.strictObject({
  metric: z.string().min(1),
  below: z.number().gt(0).optional().describe('falls below this multiple of its start'),
  above: z.number().gt(0).optional().describe('rises above this multiple of its start'),
});

const rule = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('difference'),
      first: names,
      second: names,
      at: moment.default('end'),
      ...expectation,
    })
    .describe('the metric of `first` minus that of `second`'),
  z
    .strictObject({
      kind: z.literal('change'),
      runs: names,
      from: moment,
      to: moment.default('end'),
      ...expectation,
    })
    .describe('the metric at `to` minus that at `from`, in the same runs'),
  z
    .strictObject({ kind: z.literal('order'), runs: names, first: event, second: event })
    .describe(
      'in runs where the second event happens, the first one comes earlier; both at one step tell nothing',
    ),
  z
    .strictObject({ kind: z.literal('later'), runs: names, than: names, event })
    .refine(({ runs, than }) => [runs].flat().length === [than].flat().length, {
      path: ['than'],
      error: 'expected as many variants as `runs` has: they are compared one by one',
    })
    .describe(
      'the event happens later in runs of the first variant of `runs` than in those of the first of `than` with the same seed, or not at all; and so on',
    ),
]);

const claim = z.strictObject({
  of: z.string().min(1).describe('figure or table, e.g. Figure 9'),
  claim: z.string().min(1).describe('what is claimed, in a sentence'),
  paper: z.string().min(1).optional().describe('what the paper reports'),
  need: z
    .enum(['all', 'any'])
    .default('all')
    .describe('all: the claim holds if every rule does; any: if one does'),
  rules: z.array(rule).min(1).describe('decide the claim from the runs'),
});

export const sweepSpecSchema = z.strictObject({
  title: z.string().min(1),
  about: z.string().min(1).optional().describe('what is asked and how, for the report'),
  config: z
    .string()
    .min(1)
    .optional()
    .describe('run configuration, as seen from this file; a point of the grid may name another'),
  set: changes.default({}),
  variants: named.default({}).describe('named variants: changes that belong together'),
  grid: z
    .record(z.string(), axis)
    .default({})
    .describe(
      'axes whose values are combined: an option path with a list of values, or a name with named points',
    ),
  seeds: z
    .array(z.int().min(0).max(4294967295))
    .min(1)
    .refine((seeds) => new Set(seeds).size === seeds.length, 'expected each seed once')
    .default([1]),
  budget: z
    .string()
    .regex(/^\d+(?:\.\d+)?[smh]$/)
    .optional()
    .describe(
      'processor time that the runs may need as predicted, such as 90m or 3h; a larger sweep is refused',
    ),
  metrics: z.array(z.string().min(1)).default(['validation/success_rate']).describe('drawn in the report'),
  groups: z
    .array(z.array(z.string().min(1)).min(1))
    .default([])
    .describe('variants that are drawn and tested together, each a list of names; default: all'),
  deviations: z.array(z.string().min(1)).default([]).describe('where it differs from the paper'),
  claims: z.array(claim).default([]),
});

/** A sweep as it is written, defaults filled in. */
export type SweepSpec = z.output<typeof sweepSpecSchema>;
export type SweepClaim = SweepSpec['claims'][number];
export type SweepRule = SweepClaim['rules'][number];
export type SweepMoment = z.output<typeof moment>;
export type SweepEvent = z.output<typeof event>;
