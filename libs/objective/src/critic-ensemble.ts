/**
 * @file Several critics as one: what an ensemble says of the value of a token, and how far its members disagree.
 * Mean: Lakshminarayanan et al. 2017, arXiv:1612.01474, sec. 2.4. Minimum: Chen et al. 2021 (REDQ), arXiv:2101.05982,
 * Algorithm 1, over all members. Mean less deviations, a lower confidence bound: Ghasemipour et al. 2022 (MSG), arXiv:2205.13703.
 */
import { AppError, defineMetric } from '@espalier/contracts';
import { assertSameLength } from './advantage/statistics.js';

const ENSEMBLE_STD = defineMetric({
  name: 'critic/ensemble_std',
  unit: 'reward',
  formula:
    'mean over loss tokens of the standard deviation (divisor: their number) of the values of the critics; with several critics',
});

export interface EnsembleOptions {
  /** how the values of several critics become one; default: mean */
  readonly criticCombination?: 'mean' | 'minimum' | undefined;
  /** deviations that are taken off the mean; default 0 */
  readonly criticPessimism?: number | undefined;
}

/**
 * Combines the values of critics token by token: their mean μ, μ − pessimism · σ, or the least of them. σ has the number of
 * critics as divisor, so that with two of them and a pessimism of 1 that is the least, too.
 *
 * @param values of each critic, in reward; each [T]
 * @throws contracts.invalid_value without a critic; objective.length_mismatch
 */
export function combineValues(
  values: readonly ArrayLike<number>[],
  { criticCombination = 'mean', criticPessimism = 0 }: EnsembleOptions = {},
): Float64Array {
  const [first] = values;
  if (first === undefined)
    throw new AppError(
      'contracts.invalid_value',
      'combine values: there is no critic; give the values of one or more',
    );
  assertSameLength('combine values', Object.fromEntries(values.map((own, k) => [`critic ${k + 1}`, own])));
  return Float64Array.from(first, (_, t) => {
    const said = values.map((own) => own[t] as number);
    if (criticCombination === 'minimum') return Math.min(...said);
    const { mean, std } = momentsOf(said);
    return criticPessimism === 0 ? mean : mean - criticPessimism * std;
  });
}

/**
 * Measures how far critics disagree, as `critic/ensemble_std`.
 *
 * @param values of each trajectory those of each critic; each [T*]
 */
export function estimateEnsembleMetrics(
  values: readonly (readonly ArrayLike<number>[])[],
  lossMask: readonly ArrayLike<number>[],
): Record<string, number> {
  let sum = 0;
  let count = 0;
  values.forEach((critics, i) => {
    const mask = lossMask[i] as ArrayLike<number>;
    for (let t = 0; t < mask.length; t += 1) {
      if (!mask[t]) continue;
      sum += momentsOf(critics.map((own) => own[t] as number)).std;
      count += 1;
    }
  });
  return { [ENSEMBLE_STD.name]: count === 0 ? 0 : sum / count };
}

/** Mean, and deviation with the number of values as divisor. */
function momentsOf(values: readonly number[]): { mean: number; std: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, std: Math.sqrt(squares / values.length) };
}
