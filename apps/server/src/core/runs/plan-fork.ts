/** @file The plan of a fork relative to its parent: its starting checkpoint, and the differences. Pure. */
import { diffSpecs } from './compare-runs.js';
import type { RunPlan } from './run-plan.type.js';
import type { Run } from '../database/entities/run.js';

/**
 * Makes the plan of a fork from the plan of its spec. The spec was given as a whole, by the parent: what nobody changed
 * comes from there, and nobody wrote it to have an effect in the fork.
 */
export function describeFork(plan: RunPlan, parent: Pick<Run, 'spec'>): RunPlan {
  const sources = Object.entries(plan.sources).map(([path, from]) => [
    path,
    from === 'file' ? 'parent' : from,
  ]);
  return {
    ...plan,
    sources: Object.fromEntries(sources) as RunPlan['sources'],
    inert: plan.inert.map((option) => ({
      ...option,
      set: option.set && isChanged(plan.sources, option.path),
    })),
    differences: diffSpecs([parent.spec, plan.spec]),
  };
}

/** An option may stand for all that are inside of it. */
function isChanged(sources: RunPlan['sources'], path: string): boolean {
  return Object.entries(sources).some(
    ([at, from]) => from === '--set' && (at === path || at.startsWith(`${path}.`)),
  );
}
