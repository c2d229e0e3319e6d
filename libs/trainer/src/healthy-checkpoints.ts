/** @file The checkpoints that a roll-back may return to: which are kept, and which one is the last healthy one. */
import type { RunSpec } from '@espalier/contracts';
import { type Cadence, listFiring, longestLookBack } from '@espalier/diagnostics';
import type { TrainerState } from './trainer-state.js';

/** Reports whether a run may return to a checkpoint. */
export const mayRollBack = ({ monitor }: Pick<RunSpec, 'monitor'>): boolean =>
  monitor.every > 0 && [monitor.onWarning, monitor.onCollapse].some(({ action }) => action === 'rollBack');

/** How often the inputs of the monitor are measured. */
export const cadenceOf = ({ monitor, validation }: Pick<RunSpec, 'monitor' | 'validation'>): Cadence => ({
  check: monitor.every,
  validation: validation.every,
  information: monitor.every * monitor.mutualInformation.every,
  probes: monitor.every * monitor.probes.every,
});

/** What of a spec says which checkpoints are kept. */
type CheckpointPlan = Pick<RunSpec, 'steps' | 'checkpoint' | 'monitor' | 'validation'>;

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
  const isHealthy = health.state === 'healthy' && listFiring(health).length === 0;
  return isScheduled && isHealthy ? thinOut(spec, [...healthySteps, step]) : healthySteps;
}

/** Steps, oldest first, without those that have become too many. */
function thinOut(spec: CheckpointPlan, all: readonly number[]): number[] {
  const step = all.at(-1) ?? 0;
  const { every } = spec.checkpoint;
  const near = nearOf(spec);
  const isKept = (one: number): boolean => {
    const doublings = Math.max(0, Math.ceil(Math.log2((step - one) / near)));
    return one % (every * 2 ** doublings) === 0;
  };
  const steps = all.filter(isKept);
  const bound = step + 1 - longestLookBack(cadenceOf(spec));
  const oldest = steps.findLast((one) => one <= bound) ?? 0;
  return steps.filter((one) => one >= oldest);
}

/** Steps behind the latest in which every healthy checkpoint is kept. */
const nearOf = ({ monitor }: CheckpointPlan): number => (monitor.patience + usualLookBack) * monitor.every;

/** The checkpoints of a run that are on the disk at once at most, the one being written included. */
export function countCheckpoints(spec: CheckpointPlan): number {
  const { steps, checkpoint } = spec;
  const { every, keep } = checkpoint;
  const written = every === 0 ? 1 : Math.ceil(steps / every);
  if (every === 0 || !mayRollBack(spec)) return Math.min(keep + 1, written);
  // the pattern repeats once the oldest that a rule looks back to has been reached several times
  const end = Math.min(steps, 4 * (longestLookBack(cadenceOf(spec)) + nearOf(spec)) + (keep + 1) * every);
  let healthy: number[] = [];
  let saved: number[] = [];
  let most = 1;
  for (let step = every; step <= end; step += every) {
    saved.push(step);
    most = Math.max(most, saved.length);
    healthy = thinOut(spec, [...healthy, step]);
    const kept = new Set([...healthy, ...saved.slice(-keep)]);
    saved = saved.filter((one) => kept.has(one));
  }
  // the last one may come between two scheduled ones
  return steps % every === 0 ? most : Math.max(most, saved.length + 1);
}
