import type { DerivedNumbers } from '@espalier/contracts';
import type { GroupFilterSpec } from '@espalier/contracts/group-filter';
import { filteredCount } from './filter-budgets.js';
import { type ScheduleSettings, scheduleNumbers } from './schedule-budgets.js';

/** The settings that determine the derived numbers. */
export interface BudgetSettings extends ScheduleSettings {
  readonly rollout: ScheduleSettings['rollout'] & { readonly groupSize: number };
  readonly filter?: GroupFilterSpec | undefined;
}

/** Groups of each tag, and how many of them the algorithm keeps where it chooses within tags. */
export interface TagGroups {
  readonly groups: ReadonlyMap<string, { readonly groups: number; readonly kept: number }> | undefined;
  /** the algorithm chooses among the groups of all tags */
  readonly isShared: boolean;
  /** groups that are compared with a greedy trajectory; default: none */
  readonly greedyPerStep?: number;
}

/**
 * Computes the numbers that the settings determine.
 *
 * @param keptShare share of groups that the algorithm keeps, in (0, 1]; rounded down to whole groups
 */
export function deriveNumbers(
  { steps, rollout, update, filter }: BudgetSettings,
  keptShare: number,
  { groups, isShared, greedyPerStep = 0 }: TagGroups = { groups: undefined, isShared: false },
): DerivedNumbers {
  const trajectoriesPerStep = rollout.promptsPerStep * rollout.groupSize;
  // the small term keeps 0.3 · 10 from rounding down to 2
  const together = filteredCount(Math.floor(keptShare * rollout.promptsPerStep + 1e-9), filter);
  const within = [...(groups?.values() ?? [])].reduce((sum, { kept }) => sum + kept, 0);
  const keptGroupsPerStep = groups === undefined || isShared ? together : within;
  const optimizerStepsPerStep = update.epochs * update.miniBatches;
  const schedule = scheduleNumbers({ steps, rollout, update });
  const learnedGroups = keptGroupsPerStep + (update.replay?.groups ?? 0);
  return {
    trajectoriesPerStep,
    keptGroupsPerStep,
    trajectoriesPerMiniBatch: (learnedGroups * rollout.groupSize) / update.miniBatches,
    optimizerStepsPerStep,
    optimizerSteps: steps * optimizerStepsPerStep,
    episodes: steps * (trajectoriesPerStep + greedyPerStep),
    ...(greedyPerStep === 0 ? {} : { greedyPerStep }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(groups === undefined ? {} : { tags: tagNumbers(groups, rollout, isShared) }),
  };
}

function tagNumbers(
  groups: NonNullable<TagGroups['groups']>,
  { promptsPerStep, groupSize }: BudgetSettings['rollout'],
  isShared: boolean,
): NonNullable<DerivedNumbers['tags']> {
  return [...groups].map(([tag, { groups: own, kept }]) => ({
    tag,
    groups: own,
    share: own / promptsPerStep,
    trajectoriesPerStep: own * groupSize,
    ...(isShared ? {} : { keptGroupsPerStep: kept }),
  }));
}
