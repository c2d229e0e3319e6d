/** @file The units of a critic's values in a run: what its returns have been like, and how they become its targets. */
import { defineMetric, type RunSpec } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import {
  normalizeValues,
  type ReturnMoments,
  scaleOfReturns,
  updateReturnMoments,
  type ValueScale,
} from '@espalier/objective/value-normalization';
import type { TrainingExample } from './batch.js';

defineMetric({
  name: 'critic/return_mean',
  unit: 'reward',
  formula: 'running mean of the returns of loss tokens; with update.valueNormalization',
});
defineMetric({
  name: 'critic/return_std',
  unit: 'reward',
  formula: 'running standard deviation of the returns of loss tokens; with update.valueNormalization',
});

/** The scale of values before an update, and that of its targets. */
export interface ValueScales {
  readonly before: ValueScale;
  readonly after: ValueScale;
}

/** Adds the returns of an iteration to the moments; undefined where values are not normalised. */
export function advanceReturnMoments(
  { update: { valueNormalization } }: RunSpec,
  moments: ReturnMoments | undefined,
  examples: readonly TrainingExample[],
): ReturnMoments | undefined {
  if (valueNormalization.use === 'off') return undefined;
  const returns = examples.flatMap(({ columns }) => columns['returns'] ?? []); // each [n]
  const all = returns.map((own) => new Uint8Array(own.length).fill(1)); // each [n]
  return updateReturnMoments(moments, returns, all, valueNormalization.memory);
}

/** The scales of an update; undefined where values are not normalised. */
export const scalesOf = (
  before: ReturnMoments | undefined,
  after: ReturnMoments | undefined,
): ValueScales | undefined =>
  after === undefined ? undefined : { before: scaleOfReturns(before), after: scaleOfReturns(after) };

/** Turns the columns of a value loss from reward into what the critic predicts. */
export function normalizeColumns(
  examples: readonly TrainingExample[],
  scales: ValueScales | undefined,
): readonly TrainingExample[] {
  if (scales === undefined) return examples;
  return examples.map((example) => {
    const { oldValues, returns } = example.columns;
    return {
      ...example,
      columns: {
        ...example.columns,
        // what the critic said, which a clip keeps it close to
        ...(oldValues === undefined ? {} : { oldValues: normalizeValues(oldValues, scales.before) }),
        ...(returns === undefined ? {} : { returns: normalizeValues(returns, scales.after) }),
      },
    };
  });
}

/** Reports the moments. */
export function valueScaleMetrics(moments: ReturnMoments | undefined): Record<string, number> {
  if (moments === undefined) return {};
  const { mean, std } = scaleOfReturns(moments);
  return { 'critic/return_mean': mean, 'critic/return_std': std };
}

/** Whether a stored value is such moments. */
export const isReturnMoments = (value: unknown): value is ReturnMoments =>
  isRecord(value) &&
  Object.keys(value).length === 3 &&
  ['weight', 'mean', 'square'].every((name) => Number.isFinite(value[name])) &&
  Number(value['weight']) > 0;
