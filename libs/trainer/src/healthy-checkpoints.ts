/**
 * @file The healthy checkpoints of a run, which stay on disk beyond the newest: those that a roll-back may return to, and
 * without one the last from which a fork can go on after a collapse.
 */
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
 * Lists the steps of the healthy checkpoints to keep. For a roll-back: all of the latest checks, half as many in each further
 * doubling of age, and one that no rule looks back beyond; else see {@link keepLast}. Only scheduled checkpoints count, so the list
 * is the same in a run that was stopped and resumed.
 */
export function keepHealthy(spec: RunSpec, { step, health, recovery }: TrainerState): readonly number[] {
  if (spec.monitor.every === 0) return [];
  const { healthySteps } = recovery;
  const { every } = spec.checkpoint;
  const isScheduled = every > 0 && step % every === 0;
  const isHealthy = health.state === 'healthy' && listFiring(health).length === 0;
  const all = isScheduled && isHealthy ? [...healthySteps, step] : healthySteps;
  if (!mayRollBack(spec)) return keepLast(spec, all, health.unhealthySince ?? step);
  return all === healthySteps ? all : thinOut(spec, all);
}

/** The newest checkpoint that the usual rules would not have looked at if one fired now, and the one that becomes it next. */
function keepLast(spec: CheckpointPlan, all: readonly number[], step: number): number[] {
  const bound = step - nearOf(spec);
  const settled = all.filter((one) => one <= bound).slice(-1);
  return [...settled, ...all.filter((one) => one > bound).slice(0, 1)];
}

/** The newest healthy checkpoint from before the health of a run got worse; undefined: it did not, or none is kept. */
export function lastHealthyStep(
  spec: CheckpointPlan,
  { health, recovery }: Pick<TrainerState, 'health' | 'recovery'>,
): number | undefined {
  const { unhealthySince } = health;
  if (unhealthySince === undefined) return undefined;
  return recovery.healthySteps.findLast((one) => one <= unhealthySince - nearOf(spec));
}

/**
 * Steps, oldest first, without those that have become too many: of all in one stretch of steps the first stays. Stretches
 * lie alike whichever steps there are, and are twice as long in each further doubling of age.
 */
function thinOut(spec: CheckpointPlan, all: readonly number[]): number[] {
  const step = all.at(-1) ?? 0;
  const near = nearOf(spec);
  const bound = step + 1 - longestLookBack(cadenceOf(spec));
  const oldest = all.findLast((one) => one <= bound) ?? 0;
  const kept: number[] = [];
  for (const one of all.filter((each) => each >= oldest)) {
    const doublings = Math.max(0, Math.ceil(Math.log2((step - one) / near)));
    const stretchOf = (each: number): number => Math.floor(each / (spec.checkpoint.every * 2 ** doublings));
    const before = kept.at(-1);
    if (doublings === 0 || before === undefined || stretchOf(before) !== stretchOf(one)) kept.push(one);
  }
  return kept;
}

/** Steps that the usual rules look back, and last before they change the state of the run. */
const nearOf = ({ monitor }: CheckpointPlan): number => (monitor.patience + usualLookBack) * monitor.every;

/** The checkpoints of a run that are on the disk at once at most, the one being written included. */
export function countCheckpoints(spec: CheckpointPlan): number {
  const { steps, checkpoint } = spec;
  const { every, keep } = checkpoint;
  const written = every === 0 ? 1 : Math.ceil(steps / every);
  if (every === 0 || spec.monitor.every === 0) return Math.min(keep + 1, written);
  // the pattern repeats once the oldest that a rule looks back to has been reached several times
  const end = Math.min(steps, 4 * (longestLookBack(cadenceOf(spec)) + nearOf(spec)) + (keep + 1) * every);
  let healthy: number[] = [];
  let saved: number[] = [];
  let most = 1;
  for (let step = every; step <= end; step += every) {
    saved.push(step);
    most = Math.max(most, saved.length);
    healthy = mayRollBack(spec)
      ? thinOut(spec, [...healthy, step])
      : keepLast(spec, [...healthy, step], step);
    const kept = new Set([...healthy, ...saved.slice(-keep)]);
    saved = saved.filter((one) => kept.has(one));
  }
  // the last one may come between two scheduled ones
  const healthyOnly = steps % every === 0 ? most : Math.max(most, saved.length + 1);
  // after a collapse the healthy one is none of the newest
  return mayRollBack(spec) ? healthyOnly : Math.min(written, Math.max(healthyOnly, keep + 2));
}
