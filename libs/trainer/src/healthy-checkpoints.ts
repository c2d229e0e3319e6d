/** @file The checkpoints that a roll-back may return to: which are kept, and which one is the last healthy one. */
import type { RunSpec } from '@espalier/contracts';
import { type Cadence, longestLookBack } from '@espalier/diagnostics';
import type { TrainerState } from './trainer-state.js';

/** Reports whether a run may return to a checkpoint. */
export const mayRollBack = ({ monitor }: RunSpec): boolean =>
  monitor.every > 0 && [monitor.onWarning, monitor.onCollapse].some(({ action }) => action === 'rollBack');

/** How often the inputs of the monitor are measured. */
export const cadenceOf = ({ monitor, validation }: RunSpec): Cadence => ({
  check: monitor.every,
  validation: validation.every,
  information: monitor.every * monitor.mutualInformation.every,
  probes: monitor.every * monitor.probes.every,
});

/** Checks that most rules look back, and one. */
const usualLookBack = 4;

/**
 * Lists the steps of the checkpoints to keep for a roll-back: all healthy ones of the latest checks, half as many in each further
 * doubling of age, and one that no rule looks back beyond. Only scheduled checkpoints count, so the list is the same in a run that
 * was stopped and resumed.
 */
export function keepHealthy(spec: RunSpec, { step, health, recovery }: TrainerState): readonly number[] {
  if (!mayRollBack(spec)) return [];
  const { healthySteps } = recovery;
  const { every } = spec.checkpoint;
  const isScheduled = every > 0 && step % every === 0;
  const isHealthy = health.state === 'healthy' && Object.keys(health.streaks).length === 0;
  if (!isScheduled || !isHealthy) return healthySteps;
  const near = (spec.monitor.patience + usualLookBack) * spec.monitor.every;
  const isKept = (one: number): boolean => {
    const doublings = Math.max(0, Math.ceil(Math.log2((step - one) / near)));
    return one % (every * 2 ** doublings) === 0;
  };
  const steps = [...healthySteps, step].filter(isKept);
  const bound = step + 1 - longestLookBack(cadenceOf(spec));
  const oldest = steps.findLast((one) => one <= bound) ?? 0;
  return steps.filter((one) => one >= oldest);
}
