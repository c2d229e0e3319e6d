/** @file Metrics of levels and of a growing horizon. */
import { defineMetric, type RunSpec, type TrajectoryGroup } from '@espalier/contracts';
import { listLevels, listTrained, rolloutAt, type TaggedSpec } from '@espalier/contracts/mixing';
import { countAt, type LevelState, type LevelStates, successRate } from './curriculum.js';

const definitions: readonly (readonly [name: string, unit: string, formula: string])[] = [
  ['curriculum/level', 'level', 'level of the step, from 1; replayed groups are at earlier ones'],
  [
    'curriculum/success_rate_<level>',
    'probability',
    'mean over the groups of the step at one level of their success rates; reported only where there are any',
  ],
  [
    'curriculum/window_success_rate',
    'probability',
    'mean success rate of the newest groups at the level, after the step; absent just after a change of level',
  ],
  [
    'curriculum/window_groups',
    'groups',
    'groups in that window, after the step; a change needs curriculum.window of them',
  ],
  ['curriculum/promotions', 'promotions', 'promotions since the start of the run'],
  ['curriculum/demotions', 'demotions', 'demotions since the start of the run'],
  ['horizon/max_turns', 'turns', 'turns that an episode of the step may have at the level of the step'],
  ['horizon/max_actions', 'actions', 'actions that an episode of the step may have at the level of the step'],
];
for (const [name, unit, formula] of definitions) defineMetric({ name, unit, formula });

export interface LevelParts {
  readonly spec: RunSpec;
  /** from 1 */
  readonly step: number;
  readonly groups: readonly TrajectoryGroup[];
  /** before the step and after it */
  readonly before: LevelStates | undefined;
  readonly after: LevelStates | undefined;
}

/** Computes the metrics of every curriculum and every horizon, those of a tag under `tag/<tag>/`. */
export function levelMetrics(parts: LevelParts): Record<string, number> {
  const { spec, step, before = {}, after = {} } = parts;
  return Object.assign(
    {},
    ...listTrained(spec).map((one) => {
      const { tag = '' } = one;
      const played = before[tag]?.level;
      const groups = parts.groups.filter(
        ({ trajectories: [first] }) => (first?.environmentTag ?? '') === tag,
      );
      const values = {
        ...(played === undefined ? {} : curriculumMetrics(played, groups, after[tag])),
        ...horizonMetrics(one, played ?? 1, step),
      };
      if (one.tag === undefined) return values;
      return Object.fromEntries(Object.entries(values).map(([name, value]) => [`tag/${tag}/${name}`, value]));
    }),
  ) as Record<string, number>;
}

function curriculumMetrics(
  level: number,
  groups: readonly TrajectoryGroup[],
  after: LevelState | undefined,
): Record<string, number> {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const played = [...new Set(trajectories.flatMap((one) => one.level ?? []))].sort((a, b) => a - b);
  const rates = played.map((own) => [
    `curriculum/success_rate_${own}`,
    successRate({ window: countAt(own, groups) }),
  ]);
  const { window = [], promotions = 0, demotions = 0 } = after ?? {};
  return {
    'curriculum/level': level,
    ...(Object.fromEntries(rates) as Record<string, number>),
    ...(window.length === 0 ? {} : { 'curriculum/window_success_rate': successRate({ window }) }),
    'curriculum/window_groups': window.length,
    'curriculum/promotions': promotions,
    'curriculum/demotions': demotions,
  };
}

/** Only what changes over the run: by a schedule, or by level. */
function horizonMetrics(one: TaggedSpec, level: number, step: number): Record<string, number> {
  const levels = listLevels(one).map(({ spec }) => spec.rollout);
  const now = levels[level - 1];
  if (now === undefined) return {};
  const { maxTurns, maxActions } = rolloutAt(now, step);
  const changes = (key: 'maxTurns' | 'maxActions'): boolean =>
    now.horizon?.[key] !== undefined || levels.some((own) => own[key] !== now[key]);
  return {
    ...(changes('maxTurns') ? { 'horizon/max_turns': maxTurns } : {}),
    ...(changes('maxActions') ? { 'horizon/max_actions': maxActions } : {}),
  };
}
