/** @file Metrics of the rollout schedule: policy lag, replay, sizes of groups, and what is known of tasks. */
import { defineMetric, type RunSpec } from '@espalier/contracts';
import type { FilledBatch } from './fill-batch.js';
import type { Drawn, LearnedGroup } from './replay.js';
import { poolOf, type TaskState, type TaskStates } from './tasks.js';

const definitions: readonly (readonly [name: string, unit: string, formula: string])[] = [
  [
    'rollout/policy_lag_mean',
    'optimizer steps',
    'mean over the trajectories of the update of the optimizer steps between sampling and the update (replay, rollout.ahead)',
  ],
  ['rollout/policy_lag_max', 'optimizer steps', 'largest of these'],
  ['replay/groups', 'groups', 'earlier groups in the update'],
  ['replay/share', 'probability', 'trajectories of earlier groups / trajectories of the update'],
  [
    'replay/age_mean',
    'optimizer steps',
    'mean age of the earlier groups in the update; absent: there are none',
  ],
  ['replay/age_max', 'optimizer steps', 'largest of these'],
  ['replay/held_groups', 'groups', 'groups held after the update'],
  ['replay/expired', 'groups', 'held groups that were dropped before the update, as they were too old'],
  ['rollout/group_size_min', 'trajectories', 'least trajectories of a group (rollout.adaptive)'],
  ['rollout/group_size_max', 'trajectories', 'most trajectories of a group (rollout.adaptive)'],
  [
    'rollout/saved_trajectories',
    'trajectories',
    'planned trajectories that no undecided group took (rollout.adaptive.enough)',
  ],
  ['tasks/untried', 'states', 'initial states of rollout.tasks that were never played, after the step'],
  ['tasks/hard', 'states', 'states whose latest group had no success, after the step'],
  ['tasks/open', 'states', 'states whose latest group had successes and failures, after the step'],
  ['tasks/easy', 'states', 'states whose latest group had successes only, after the step'],
  ['tasks/pass_rate', 'probability', 'mean of the latest pass rates of the states that were played'],
  ['tasks/plays_min', 'groups', 'groups of the state played least'],
  ['tasks/plays_max', 'groups', 'groups of the state played most'],
];
for (const [name, unit, formula] of definitions) defineMetric({ name, unit, formula });

export interface ScheduleParts {
  readonly spec: RunSpec;
  readonly batch: FilledBatch;
  /** optimizer steps of the policy before the update */
  readonly policySteps: number;
  readonly learned: readonly LearnedGroup[];
  readonly replayed: Drawn;
  /** groups held after the update */
  readonly held: number;
  readonly tasks: TaskStates | undefined;
}

/** Computes the metrics of the options of the schedule that a run uses. */
export function scheduleMetrics(parts: ScheduleParts): Record<string, number> {
  const { spec, tasks } = parts;
  const isLate = spec.rollout.ahead > 0 || spec.update.replay !== undefined;
  return {
    ...(isLate ? lagMetrics(parts) : {}),
    ...(spec.update.replay === undefined ? {} : replayMetrics(parts)),
    ...(spec.rollout.adaptive === undefined ? {} : sizeMetrics(parts)),
    ...(tasks === undefined ? {} : allTaskMetrics(tasks)),
  };
}

const count = (groups: readonly LearnedGroup[]): number =>
  groups.reduce((sum, { trajectories }) => sum + trajectories.length, 0);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function lagMetrics({ learned, policySteps }: ScheduleParts): Record<string, number> {
  const lags = learned.flatMap((group) => group.trajectories.map(() => policySteps - group.policySteps));
  return { 'rollout/policy_lag_mean': mean(lags), 'rollout/policy_lag_max': Math.max(0, ...lags) };
}

function replayMetrics({ learned, replayed, held, policySteps }: ScheduleParts): Record<string, number> {
  const ages = replayed.groups.map((group) => policySteps - group.policySteps);
  return {
    'replay/groups': ages.length,
    'replay/share': count(replayed.groups) / Math.max(1, count(learned)),
    ...(ages.length === 0 ? {} : { 'replay/age_mean': mean(ages), 'replay/age_max': Math.max(...ages) }),
    'replay/held_groups': held,
    'replay/expired': replayed.expired,
  };
}

function sizeMetrics({ spec, batch }: ScheduleParts): Record<string, number> {
  const { groups, failed } = batch.collection;
  const sizes = groups.map(({ trajectories }) => trajectories.length);
  const planned = (spec.rollout.promptsPerStep + batch.resampled) * spec.rollout.groupSize;
  const played = sizes.reduce((sum, size) => sum + size, 0);
  // an episode that fails twice has two records
  const lost = Math.floor(failed.length / 2);
  return {
    'rollout/group_size_min': Math.min(...sizes),
    'rollout/group_size_max': Math.max(...sizes),
    'rollout/saved_trajectories': Math.max(0, planned - played - lost),
  };
}

/** Those of a tag under `tag/<tag>/`. */
function allTaskMetrics(tasks: TaskStates): Record<string, number> {
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([tag, state]) =>
      Object.entries(taskMetrics(state)).map(([name, value]) => [
        tag === '' ? name : `tag/${tag}/${name}`,
        value,
      ]),
    ),
  );
}

function taskMetrics({ plays, latest }: TaskState): Record<string, number> {
  const tried = latest.filter((rate) => rate >= 0);
  const inPool = (pool: ReturnType<typeof poolOf>): number =>
    tried.filter((rate) => poolOf(rate) === pool).length;
  return {
    'tasks/untried': latest.length - tried.length,
    'tasks/hard': inPool('hard'),
    'tasks/open': inPool('open'),
    'tasks/easy': inPool('easy'),
    ...(tried.length === 0 ? {} : { 'tasks/pass_rate': mean(tried) }),
    'tasks/plays_min': plays.reduce((least, own) => Math.min(least, own), Infinity),
    'tasks/plays_max': plays.reduce((most, own) => Math.max(most, own), 0),
  };
}
