/** @file Levels of curricula and growing horizons in words: when planned, while they are climbed, and at the end. */
import type { RunEvent, RunSpec } from '@espalier/contracts';
import {
  type CurriculumSpec,
  listLevels,
  listTrained,
  rolloutAt,
  type TaggedSpec,
} from '@espalier/contracts/mixing';
import { counted, percent } from './numbers.js';

export type LevelChange = Extract<RunEvent, { kind: 'level' }>;
type Values = Readonly<Record<string, number>>;

const labelOf = ({ tag }: Pick<TaggedSpec, 'tag'>): string => (tag === undefined ? '' : `${tag}: `);
const metricOf = ({ tag }: Pick<TaggedSpec, 'tag'>, name: string): string =>
  `${tag === undefined ? '' : `tag/${tag}/`}${name}`;

/** A promotion or demotion as a sentence. */
export function changeText({
  environmentTag: tag,
  from,
  to,
  levels,
  successRate,
  groups,
}: LevelChange): string {
  const verb = to > from ? 'promoted' : 'demoted';
  return `${labelOf({ tag })}${verb} from level ${from} to ${to} of ${levels}: success ${percent(successRate)} in ${groups} groups`;
}

/** The level that each curriculum was at in a step: `level 2`, `lake level 2`. */
export function levelWords(values: Values): string[] {
  return Object.entries(values).flatMap(([name, level]) => {
    const found = /^(?:tag\/([^/]+)\/)?curriculum\/level$/.exec(name);
    return found === null ? [] : [`${found[1] === undefined ? '' : `${found[1]} `}level ${level}`];
  });
}

/** Where each curriculum stands after the step of a row of metrics. */
export function standLines(spec: RunSpec, values: Values): string[] {
  return listTrained(spec).flatMap((one) => {
    const { curriculum } = one;
    const up = values[metricOf(one, 'curriculum/promotions')];
    const down = values[metricOf(one, 'curriculum/demotions')];
    if (curriculum === undefined || up === undefined || down === undefined) return [];
    const level = `level ${curriculum.start + up - down} of ${curriculum.levels.length}`;
    const rate = values[metricOf(one, 'curriculum/window_success_rate')];
    const groups = values[metricOf(one, 'curriculum/window_groups')] ?? 0;
    const measured =
      rate === undefined ? '' : `, success ${percent(rate)} in ${groups} of ${curriculum.window} groups`;
    return [`${labelOf(one)}${level}, ${counted(up, 'promotion')}, ${counted(down, 'demotion')}${measured}`];
  });
}

/** The ladder of each curriculum, and how each horizon grows, as a plan shows them. */
export function plannedLevelLines(spec: RunSpec): string[] {
  return listTrained(spec).flatMap((one) => [
    ...(one.curriculum === undefined ? [] : ladderLines(one, one.curriculum)),
    ...horizonLines(one, spec.steps),
  ]);
}

function ladderLines(one: TaggedSpec, curriculum: CurriculumSpec): string[] {
  const { levels, start, window, promoteAt, demoteBelow, replay } = curriculum;
  const { promptsPerStep } = one.spec.rollout;
  const rungs = listLevels(one).map(({ spec: { rollout } }, index) => {
    const changes = Object.entries(levels[index]?.environment ?? {}).map(
      ([key, value]) => `${key} ${JSON.stringify(value)}`,
    );
    const budget = `${counted(rollout.maxTurns, 'turn')}, ${counted(rollout.maxActions, 'action')}`;
    const mark = index + 1 === start ? ' (start)' : '';
    return `  ${labelOf(one)}level ${index + 1}${mark}: ${[...changes, budget].join(', ')}`;
  });
  const down = demoteBelow === 0 ? 'never down' : `down below ${percent(demoteBelow)}`;
  const again = Number((promptsPerStep * replay).toFixed(2));
  return [
    ...rungs,
    `  ${labelOf(one)}up at success ${percent(promoteAt)} in ${window} groups, ${down}; above level 1, ${again} of ${promptsPerStep} groups are played at earlier levels`,
  ];
}

function horizonLines(one: TaggedSpec, steps: number): string[] {
  const { rollout } = one.spec;
  const { horizon } = rollout;
  if (horizon === undefined) return [];
  const [first, last] = [rolloutAt(rollout, 1), rolloutAt(rollout, steps)];
  const parts = (['maxTurns', 'maxActions'] as const).flatMap((key) => {
    if (horizon[key] === undefined) return [];
    const end = last[key] === rollout[key] ? '' : ` (${last[key]} in the last step)`;
    return [`${first[key]} to ${rollout[key]} ${key === 'maxTurns' ? 'turns' : 'actions'}${end}`];
  });
  const pace = horizon.every === 1 ? '' : `, a change every ${horizon.every}`;
  return [`  ${labelOf(one)}horizon: ${parts.join(', ')} over ${horizon.steps} steps${pace}`];
}
