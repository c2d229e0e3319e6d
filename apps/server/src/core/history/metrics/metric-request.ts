import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { several, wholeNumber } from '../../input/parse-input.js';

const maxSeries = 400;
/** values in one answer, all series together */
const maxValues = 1_000_000;
/** values that cost as much as a field */
const valuesPerCost = 20;

interface Size {
  readonly runIds: readonly string[];
  readonly names: readonly string[];
  readonly points: number;
}

const valuesOf = ({ runIds, names, points }: Size): number =>
  runIds.length * names.length * Math.max(2, points);

/** Selects metrics of several runs. */
export const historyRequest = z
  .strictObject({
    runIds: z
      .array(text(100, { least: 1 }))
      .min(1)
      .max(100),
    names: z
      .array(text(200, { least: 1 }))
      .min(1)
      .max(200),
    fromStep: wholeNumber.default(0),
    toStep: wholeNumber.default(2 ** 31 - 1),
    points: wholeNumber.pipe(z.int().min(2).max(20_000)).default(1000),
    digits: wholeNumber.pipe(z.int().min(1).max(17)).optional(),
  })
  .refine(
    ({ fromStep, toStep }) => fromStep <= toStep,
    'the range of steps is reversed: fromStep is greater than toStep',
  )
  .refine(
    ({ runIds, names }) => runIds.length * names.length <= maxSeries,
    `more than ${maxSeries} series (runs × metrics) in one call`,
  )
  .refine(
    (request) => valuesOf(request) <= maxValues,
    `more than ${maxValues} values (runs × metrics × points) in one call`,
  );
export type HistoryRequest = z.infer<typeof historyRequest>;

/** The cost of a history relative to other fields of a GraphQL operation, by the number of values. */
export const costOfHistory = (size: Size): number => valuesOf(size) / valuesPerCost;

const range = {
  fromStep: wholeNumber.optional().describe('first step; 0 is before the first iteration'),
  toStep: wholeNumber.optional().describe('last step'),
  points: wholeNumber.optional().describe('maximum points of a series, 2 to 20000; default 1000'),
  digits: wholeNumber
    .optional()
    .describe('significant digits of values that are not whole, 1 to 17; default: all'),
};

/** `GET /runs/:id/metrics` */
export const runMetricsQuery = z.strictObject({
  name: several(text(200), 200)
    .optional()
    .describe('metric, may be given several times; without it: lists the metrics'),
  ...range,
});

/** `GET /metrics` */
export const metricsQuery = z.strictObject({
  runId: several(text(100), 100).describe('run, may be given several times'),
  name: several(text(200), 200).describe('metric, may be given several times'),
  ...range,
});
