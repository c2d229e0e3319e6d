/** @file The plan of a sweep in lines: its variants, how far they are, what is left to train. */
import type { Sweep } from '@espalier/config/sweep';
import { stateOf } from '@espalier/sweep';
import { counted } from '../view/numbers.js';
import { formatDuration } from '../view/eta.js';
import { type RunPlan, sumSeconds } from './plan-sweep.js';

/** Formats the plan: a line for each variant, then the sum. */
export function planLines({ name, spec }: Sweep, plans: readonly RunPlan[], concurrency: number): string[] {
  const variants = [...new Set(plans.map(({ run }) => run.variant))];
  const width = Math.max(...variants.map((variant) => variant.length));
  const lines = variants.map((variant) => {
    const own = plans.filter(({ run }) => run.variant === variant);
    const seeds = own.map(({ run }) => run.seed).join(', ');
    const finished = own.filter(({ run }) => stateOf(run) === 'finished').length;
    const steps = own.reduce((sum, plan) => sum + plan.steps, 0);
    const done = finished === 0 ? '' : `, ${finished} of ${own.length} finished`;
    return `  ${variant.padEnd(width)}  ${own.length === 1 ? 'seed' : 'seeds'} ${seeds}, ${counted(steps, 'step')} left, ${time(sumSeconds(own, 'processorSeconds'))}${done}`;
  });
  const steps = plans.reduce((sum, plan) => sum + plan.steps, 0);
  const wall = sumSeconds(plans, 'seconds');
  const parallel = Math.min(concurrency, plans.length);
  return [
    `${name}: ${spec.title}`,
    ...lines,
    `  in all: ${counted(plans.length, 'run')}, ${counted(steps, 'step')}, about ${time(sumSeconds(plans, 'processorSeconds'))} of processor time as predicted; ${time(wall === undefined ? undefined : wall / parallel)} with ${parallel} at a time`,
  ];
}

const time = (seconds: number | undefined): string =>
  seconds === undefined ? 'time not predicted' : formatDuration(seconds * 1000);
