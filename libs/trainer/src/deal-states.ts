/** @file Which states the groups of an environment are played from in a step: of its tasks, and at which of its levels. */
import type { TaggedSpec } from '@espalier/contracts/mixing';
import { dealGroups, type LevelStates } from './curriculum.js';
import type { PlayState } from './run-context.js';
import { orderTasks } from './tasks.js';

/** The tasks of the groups of an environment, behind those that came before in the step; undefined: all states are new. */
export function chooseTasks(
  { tag = '', spec }: TaggedSpec,
  { tasks = {} }: PlayState,
  step: number,
  before: number,
): number[] | undefined {
  const { seed, rollout } = spec;
  const state = tasks[tag];
  if (rollout.tasks === undefined || state === undefined) return undefined;
  const order = orderTasks(rollout.tasks, state, { seed, tag, step, groups: rollout.promptsPerStep });
  const from = before % order.length;
  return [...order.slice(from), ...order.slice(0, from)];
}

/** Deals groups of an environment to its levels; those in place of dropped ones alike. */
export function dealLevels(
  { tag = '', curriculum }: TaggedSpec,
  states: LevelStates | undefined,
  step: number,
  groups: number,
): readonly { readonly level?: number; readonly groups: number }[] {
  const state = states?.[tag];
  if (groups === 0) return [];
  if (curriculum === undefined || state === undefined) return [{ groups }];
  return dealGroups(curriculum, state.level, groups, step);
}
