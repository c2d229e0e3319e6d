/** @file The result of comparing runs. */
import { energySources, ledgerPhases } from '@espalier/report/ledger';
import { z } from 'zod';
import type { Run } from '../../database/entities/run.js';

export const specDifference = z.object({
  path: z.string().describe('dotted path of the option'),
  values: z
    .array(z.unknown())
    .readonly()
    .describe('its value in each run, in the order of the runs; null where a run has none'),
});
export type SpecDifference = z.output<typeof specDifference>;

export const metricSpread = z.object({
  count: z.int().describe('runs that have the number'),
  mean: z.number().describe('mean'),
  std: z.number().describe('standard deviation of a sample (divided by count − 1); 0 for one run'),
  min: z.number().describe('smallest'),
  max: z.number().describe('largest'),
  low: z.number().nullable().describe("lower end of the mean's 95 % interval (Student); null for one run"),
  high: z.number().nullable().describe('upper end of it'),
  interquartileMean: z.number().describe('mean of the middle half, quarters of values weighted'),
  interquartileRange: z.number().describe('third minus first quartile, linearly interpolated'),
});
export type MetricSpread = z.output<typeof metricSpread>;

export const runMetric = z.object({
  runId: z.string().describe('the run'),
  count: z.int().describe('values that are numbers'),
  last: z.number().nullable().describe('newest value'),
  lastStep: z.int().nullable().describe('step of it'),
  min: z.number().nullable().describe('smallest value'),
  minStep: z.int().nullable().describe('first step with it'),
  max: z.number().nullable().describe('largest value'),
  maxStep: z.int().nullable().describe('first step with it'),
  tailMean: z.number().nullable().describe('mean of the last k values'),
});
export type RunMetric = z.output<typeof runMetric>;

const perPlace = z.array(z.number().nullable());

export const groupCurve = z.object({
  counts: z.array(z.int()).describe('runs that have a value at each place of the axis'),
  mean: perPlace.describe('mean over them; null where none has a value'),
  low: perPlace.describe("lower end of the mean's 95 % interval (Student); null for fewer than two runs"),
  high: perPlace.describe('upper end of it'),
  min: perPlace.describe('lowest run'),
  max: perPlace.describe('highest run'),
});
export type GroupCurve = z.output<typeof groupCurve>;

export const groupMetric = z.object({
  group: z.int().describe('index of the group in `groups`'),
  last: metricSpread.nullable().describe('of the newest values'),
  tailMean: metricSpread.nullable().describe('of the means of the last k values'),
  max: metricSpread.nullable().describe('of the largest values'),
  min: metricSpread.nullable().describe('of the smallest values'),
  curve: groupCurve.nullable().describe('along the axis; null unless `points` were asked for'),
});
export type GroupMetric = z.output<typeof groupMetric>;

export const metricComparison = z.object({
  name: z.string().describe('its name'),
  x: z.array(z.number()).describe('places on the axis that the curves of all groups share'),
  runs: z.array(runMetric).describe('in each run that has it'),
  groups: z.array(groupMetric).describe('over the runs of each group'),
});
export type MetricComparison = z.output<typeof metricComparison>;

export const seedGroup = z.object({
  runIds: z.array(z.string()).describe('the runs'),
  seeds: z.array(z.int()).describe('their seeds'),
  values: z
    .array(z.unknown())
    .readonly()
    .describe('values of the options of `by` that they share, in its order; null where they have none'),
});

export const phaseCost = z.object({
  phase: z.enum(ledgerPhases).describe('what the run did'),
  wallSeconds: z.number().describe('wall-clock seconds'),
  processorSeconds: z.number().nullable().describe('processor seconds of all threads; null: not recorded'),
  energyJoules: z.number().nullable().describe('joules; null: not recorded'),
});

const perSuccess = 'null with fewer than two validations';
export const runLedger = z.object({
  runId: z.string().describe('the run'),
  steps: z.int().describe('iterations that it is over'),
  wallSeconds: z.number().describe('wall-clock seconds over all phases'),
  processorSeconds: z.number().nullable().describe('processor seconds of all threads; null: not recorded'),
  energyJoules: z.number().nullable().describe('joules; null: not recorded'),
  energySource: z
    .enum(energySources)
    .nullable()
    .describe('where the energy is from: counters of the machine, or time and watts; null: not recorded'),
  price: z
    .number()
    .nullable()
    .describe('price of the wall-clock time, in the currency of device.pricePerHour; null: the run has none'),
  phases: z.array(phaseCost).describe('the same, phase by phase'),
  sampledTokens: z.int().describe('tokens sampled in training'),
  trainedTokens: z.int().describe('tokens that the update has read'),
  environmentSteps: z.int().describe('actions that reached environments'),
  episodes: z.int().describe('episodes collected'),
  optimizerSteps: z.int().describe('steps of the optimizers, policy and critic'),
  successPoints: z
    .number()
    .nullable()
    .describe(`success of the newest validation minus that of the first, in points; ${perSuccess}`),
  perMillionTokens: z
    .number()
    .nullable()
    .describe(`points per million tokens, sampled and trained; ${perSuccess}`),
  perThousandInteractions: z.number().nullable().describe(`points per thousand actions; ${perSuccess}`),
  perDeviceHour: z.number().nullable().describe(`points per hour of wall-clock time; ${perSuccess}`),
  perPrice: z
    .number()
    .nullable()
    .describe(`points per unit of the price; ${perSuccess}, and without a price`),
});
export type RunLedger = z.output<typeof runLedger>;

export const runComparison = z.object({
  runs: z.array(z.custom<Run>()).describe('the runs, in the order of the request'),
  differences: z.array(specDifference).describe('only what differs'),
  groups: z
    .array(seedGroup)
    .describe('runs that share the options of `by`; without it, those that differ only by their seed'),
  metrics: z.array(metricComparison).describe('the metrics, by name'),
  ledgers: z
    .array(runLedger)
    .nullable()
    .describe(
      'what each run has cost, without runs that have completed no step; null unless `ledger` was asked for',
    ),
});
export type RunComparison = z.output<typeof runComparison>;

export const groupTest = z.object({
  tag: z.string().nullable().describe('environment of runs in several; null: there is one'),
  step: z.int().describe('newest step at which all runs of both groups were validated'),
  states: z.int().describe('states that all of them completed there'),
  difference: z
    .number()
    .describe('success of the group minus that of the other; each state counts with the mean over the runs'),
  low: z.number().describe('lower end of its 95 % interval (bootstrap over states)'),
  high: z.number().describe('upper end of it'),
  method: z
    .enum(['mcnemar-exact', 'sign-flip-exact', 'sign-flip-drawn'])
    .describe("McNemar's test where every state was won or lost, else Fisher's randomization test"),
  p: z.number().describe('two-sided p-value'),
  adjusted: z.number().describe("p after Holm's correction over the environments"),
});

export const groupTests = z.object({
  tests: z.array(groupTest).describe('one for each environment'),
  reason: z.string().nullable().describe('why there is none'),
});
export type GroupTests = z.output<typeof groupTests>;
