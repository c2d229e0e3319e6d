/**
 * @file The learning-rate schedule: warm-up, then constant, linear or cosine. Cosine: Loshchilov & Hutter 2017, arXiv:1608.03983, eq. 5, one cycle.
 */
import { AppError, type OptimizerSpec } from '@espalier/contracts';

/**
 * Returns the learning rate of one optimizer step.
 *
 * During warm-up the rate grows linearly, (step + 1) / (warmupSteps + 1) of the full rate, so no step is wasted at 0;
 * step `warmupSteps` has the full rate. It then decays towards `finalRatio` of it, which it would reach at step
 * `totalSteps`, one after the last.
 *
 * @param step       0 for the first optimizer step
 * @param totalSteps optimizer steps of the whole run
 * @throws contracts.invalid_value when `step` is not an integer ≥ 0
 */
export function learningRateAt(step: number, totalSteps: number, optimizer: OptimizerSpec): number {
  if (!Number.isInteger(step) || step < 0) {
    throw new AppError('contracts.invalid_value', `learning rate: step is ${step}; expected an integer ≥ 0`);
  }
  const { kind, warmupSteps, finalRatio } = optimizer.schedule;
  if (step < warmupSteps) return (optimizer.learningRate * (step + 1)) / (warmupSteps + 1);
  if (kind === 'constant') return optimizer.learningRate;
  const decaySteps = totalSteps - warmupSteps;
  const progress = decaySteps > 0 ? Math.min(1, (step - warmupSteps) / decaySteps) : 1;
  const remaining = kind === 'linear' ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return optimizer.learningRate * (finalRatio + (1 - finalRatio) * remaining);
}
