/**
 * @file The level of each environment with a curriculum: which groups of a step are played at which level, and whether
 * the level changes after it. Pure functions of spec, state and step, so a resumed run climbs alike.
 *
 * @see Automatic domain randomization, OpenAI et al. 2019, arXiv:1910.07113, Algorithm 1: success is averaged over a
 * buffer at the boundary of the distribution, compared with a high and a low threshold, and the buffer is cleared.
 * Deviations: one ladder of levels instead of a boundary for each parameter; the buffer slides instead of being cleared
 * where no threshold is reached; episodes elsewhere are a fixed share, at earlier levels in turn.
 */
import type { RunEvent, RunSpec, TrajectoryGroup } from '@espalier/contracts';
import { type CurriculumSpec, listTrained, type TaggedSpec } from '@espalier/contracts/mixing';
import { isCount, isRecord } from '@espalier/contracts/values';
import { estimateGroupSuccess } from '@espalier/rollout/estimates';

/** Where an environment stands in its curriculum. */
export interface LevelState {
  /** from 1 */
  readonly level: number;
  /** successes and trajectories of the newest groups at the level, the oldest first */
  readonly window: readonly (readonly [successes: number, trajectories: number])[];
  readonly promotions: number;
  readonly demotions: number;
}

/** By tag; the only environment of a run is `""`. */
export type LevelStates = Readonly<Record<string, LevelState>>;

const keyOf = ({ tag = '' }: Pick<TaggedSpec, 'tag'>): string => tag;

/** Gives the levels that a run starts at; undefined without a curriculum. */
export function startLevels(spec: RunSpec): LevelStates | undefined {
  const states = listTrained(spec).flatMap((one): [string, LevelState][] =>
    one.curriculum === undefined
      ? []
      : [[keyOf(one), { level: one.curriculum.start, window: [], promotions: 0, demotions: 0 }]],
  );
  return states.length === 0 ? undefined : Object.fromEntries(states);
}

/** Groups of one level in a step. */
export interface DealtGroups {
  /** from 1 */
  readonly level: number;
  readonly groups: number;
}

/**
 * Deals the groups of a step: those at the level, then those replayed at earlier levels, each level in turn.
 *
 * @param step from 1
 */
export function dealGroups(
  { replay }: Pick<CurriculumSpec, 'replay'>,
  level: number,
  groups: number,
  step: number,
): DealtGroups[] {
  // the small term keeps 0.3 · 10 from rounding down to 2
  const replayedBefore = (steps: number): number => Math.floor(steps * groups * replay + 1e-9);
  const first = replayedBefore(step - 1);
  const replayed = level === 1 ? 0 : replayedBefore(step) - first;
  const counts = new Map([[level, groups - replayed]]);
  for (let index = 0; index < replayed; index++) {
    const earlier = 1 + ((first + index) % (level - 1));
    counts.set(earlier, (counts.get(earlier) ?? 0) + 1);
  }
  return [...counts].flatMap(([own, count]) => (count === 0 ? [] : [{ level: own, groups: count }]));
}

/** What became of the levels after a step. */
export interface AdvancedLevels {
  readonly levels: LevelStates;
  readonly changes: readonly Omit<Extract<RunEvent, { kind: 'level' }>, 'kind' | 'time' | 'step'>[];
}

/** Counts the groups of a step, and promotes or demotes. */
export function advanceLevels(
  spec: RunSpec,
  before: LevelStates,
  groups: readonly TrajectoryGroup[],
): AdvancedLevels {
  const changes: AdvancedLevels['changes'][number][] = [];
  const levels = listTrained(spec).flatMap((one): [string, LevelState][] => {
    const state = before[keyOf(one)];
    if (one.curriculum === undefined || state === undefined) return [];
    const own = groups.filter(({ trajectories: [first] }) => (first?.environmentTag ?? '') === keyOf(one));
    const counted = countGroups(state, own, one.curriculum.window);
    const to = nextLevel(counted, one.curriculum);
    if (to === state.level) return [[keyOf(one), counted]];
    changes.push({
      ...(one.tag === undefined ? {} : { environmentTag: one.tag }),
      from: state.level,
      to,
      levels: one.curriculum.levels.length,
      successRate: successRate(counted),
      groups: counted.window.length,
    });
    const isUp = to > state.level;
    return [
      [
        keyOf(one),
        {
          level: to,
          window: [],
          promotions: state.promotions + Number(isUp),
          demotions: state.demotions + Number(!isUp),
        },
      ],
    ];
  });
  return { levels: Object.fromEntries(levels), changes };
}

/** Groups that were replayed at earlier levels do not count. */
function countGroups(state: LevelState, groups: readonly TrajectoryGroup[], most: number): LevelState {
  return { ...state, window: [...state.window, ...countAt(state.level, groups)].slice(-most) };
}

/** Successes and trajectories of each group at a level. */
export const countAt = (level: number, groups: readonly TrajectoryGroup[]): LevelState['window'] =>
  groups.flatMap(({ trajectories }) =>
    trajectories[0]?.level === level
      ? [[trajectories.filter(({ success }) => success).length, trajectories.length] as const]
      : [],
  );

function nextLevel(state: LevelState, { levels, window, promoteAt, demoteBelow }: CurriculumSpec): number {
  const { level } = state;
  if (state.window.length < window) return level;
  const rate = successRate(state);
  if (rate >= promoteAt) return Math.min(levels.length, level + 1);
  return rate < demoteBelow ? Math.max(1, level - 1) : level;
}

/** Success over the window; each group counts alike, however many trajectories it was given. */
export const successRate = ({ window }: Pick<LevelState, 'window'>): number =>
  estimateGroupSuccess(window).rate;

/** Whether a stored value is the state of levels. */
export function isLevelStates(value: unknown): value is LevelStates {
  const isPair = (one: unknown): boolean => Array.isArray(one) && one.length === 2 && one.every(isCount);
  const isState = (one: unknown): boolean =>
    isRecord(one) &&
    [one['level'], one['promotions'], one['demotions']].every(isCount) &&
    (one['level'] as number) > 0 &&
    Array.isArray(one['window']) &&
    one['window'].every(isPair);
  return isRecord(value) && Object.values(value).every(isState);
}
