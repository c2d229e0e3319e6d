/** @file The result of comparing runs. */
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

export const groupMetric = z.object({
  group: z.int().describe('index of the group in `groups`'),
  last: metricSpread.nullable().describe('of the newest values'),
  tailMean: metricSpread.nullable().describe('of the means of the last k values'),
  max: metricSpread.nullable().describe('of the largest values'),
  min: metricSpread.nullable().describe('of the smallest values'),
});
export type GroupMetric = z.output<typeof groupMetric>;

export const metricComparison = z.object({
  name: z.string().describe('its name'),
  runs: z.array(runMetric).describe('in each run that has it'),
  groups: z.array(groupMetric).describe('over the runs of each group'),
});
export type MetricComparison = z.output<typeof metricComparison>;

export const seedGroup = z.object({
  runIds: z.array(z.string()).describe('the runs'),
  seeds: z.array(z.int()).describe('their seeds'),
});

export const runComparison = z.object({
  runs: z.array(z.custom<Run>()).describe('the runs, in the order of the request'),
  differences: z.array(specDifference).describe('only what differs'),
  groups: z.array(seedGroup).describe('which runs differ only by their seed'),
  metrics: z.array(metricComparison).describe('the metrics, by name'),
});
export type RunComparison = z.output<typeof runComparison>;
