/** @file Curricula and growing horizons that contradict themselves, or the run that they are for. */
import { canonicalJson } from '@espalier/contracts/values';
import type { RunSpec } from '@espalier/contracts';
import {
  type CurriculumSpec,
  listTrained,
  listValidated,
  maxTags,
  type TaggedSpec,
} from '@espalier/contracts/mixing';
import type { Finding } from './budgets.js';
import type { CheckedEnvironment, InertOption } from './inert.js';

/** Lists contradictions of curricula and horizons. */
export function curriculumBudgets(spec: RunSpec, environments: readonly CheckedEnvironment[]): Finding[] {
  const trained = listTrained(spec);
  return [
    ...trained.flatMap((one) => ladderBudgets(spec, one)),
    ...trained.flatMap((one) =>
      horizonBudgets(
        spec,
        one,
        environments.filter((level) => level.trained && level.tag === one.tag),
      ),
    ),
    ...levelTagBudgets(spec),
  ];
}

const sectionOf = ({ tag }: TaggedSpec): string => (tag === undefined ? '' : `environments.${tag}.`);

function ladderBudgets({ steps }: RunSpec, one: TaggedSpec): Finding[] {
  const { curriculum, spec } = one;
  if (curriculum === undefined) return [];
  const at = `${sectionOf(one)}curriculum`;
  const { levels, start, window, promoteAt, demoteBelow, replay } = curriculum;
  const found: Finding[] = [];
  if (demoteBelow >= promoteAt)
    found.push([
      `${at}.demoteBelow`,
      `${at}.demoteBelow ${demoteBelow} and ${at}.promoteAt ${promoteAt}: the same success would promote and demote; choose demoteBelow less than promoteAt, or 0 for never`,
    ]);
  if (start > levels.length)
    found.push([
      `${at}.start`,
      `${at}.start ${start}: there are ${levels.length} levels; choose at most ${levels.length}`,
    ]);
  const { promptsPerStep } = spec.rollout;
  const most = Math.floor(steps * promptsPerStep * (start === 1 ? 1 : 1 - replay));
  if (window > most)
    found.push([
      `${at}.window`,
      `${at}.window ${window}: the run has at most ${most} groups at the level it starts at (${steps} steps of ${promptsPerStep}), so no level would ever change; choose fewer, or raise steps`,
    ]);
  return [...found, ...equalLevels(at, curriculum)];
}

function equalLevels(at: string, { levels }: CurriculumSpec): Finding[] {
  const seen = new Map<string, number>();
  return levels.flatMap((level, index): Finding[] => {
    const known = seen.get(canonicalJson(level));
    if (known === undefined) {
      seen.set(canonicalJson(level), index);
      return [];
    }
    return [
      [
        `${at}.levels.${index}`,
        `${at}.levels: levels ${known + 1} and ${index + 1} are the same; remove one, or change an option of it`,
      ],
    ];
  });
}

/** A horizon grows, at every level. */
function horizonBudgets(spec: RunSpec, one: TaggedSpec, levels: readonly CheckedEnvironment[]): Finding[] {
  const { horizon } = one.spec.rollout;
  if (horizon === undefined) return [];
  const isOwn = one.tag !== undefined && spec.environments?.[one.tag]?.horizon !== undefined;
  const at = `${isOwn ? sectionOf(one) : 'rollout.'}horizon`;
  return (['maxTurns', 'maxActions'] as const).flatMap((key): Finding[] => {
    const first = horizon[key];
    const full = Math.min(...levels.map((level) => level.spec.rollout[key]));
    if (first === undefined || first < full) return [];
    const of = one.tag === undefined ? '' : ` of ${one.tag}`;
    return [
      [
        `${at}.${key}`,
        `${at}.${key} ${first}: the full budget${of} is ${full}, so nothing would grow; choose less than ${full}, raise ${key}, or remove it`,
      ],
    ];
  });
}

/** With `validation.levels: all`, earlier levels are tags. */
function levelTagBudgets(spec: RunSpec): Finding[] {
  const validated = listValidated(spec);
  const tags = validated.flatMap(({ tag }) => tag ?? []);
  const twice = tags.find((tag, index) => tags.indexOf(tag) !== index);
  const at = 'validation.levels';
  if (twice !== undefined)
    return [[at, `${at} all: the tag ${twice} is that of a level; choose another name for your tag`]];
  if (spec.validation.levels !== 'all' || tags.length <= maxTags) return [];
  return [
    [
      at,
      `${at} all: ${tags.length} tags and levels are validated; at most ${maxTags} are possible, so choose last, or fewer levels`,
    ],
  ];
}

/** Lists options of curricula and horizons without effect. */
export function curriculumOptions(spec: RunSpec): InertOption[] {
  const trained = listTrained(spec);
  const climbed = trained.filter(({ curriculum }) => curriculum !== undefined);
  const unused =
    climbed.length === 0 ? [{ path: 'validation.levels', reason: 'no environment has a curriculum' }] : [];
  const tags = Object.values(spec.environments ?? {});
  const shared =
    spec.rollout.horizon !== undefined &&
    tags.length > 0 &&
    tags.every(({ horizon }) => horizon !== undefined)
      ? [{ path: 'rollout.horizon', reason: 'every tag has its own' }]
      : still(spec, 'rollout.horizon', spec.rollout.horizon);
  const own = Object.entries(spec.environments ?? {}).flatMap(([tag, { horizon }]) =>
    still(spec, `environments.${tag}.horizon`, horizon),
  );
  return [...unused, ...shared, ...own, ...climbed.flatMap(replacedOptions)];
}

/** A horizon whose first change would come after the last step. */
function still({ steps }: RunSpec, path: string, horizon: RunSpec['rollout']['horizon']): InertOption[] {
  if (horizon === undefined || horizon.every < steps) return [];
  return [{ path: `${path}.every`, reason: `the run has ${steps} steps, so the budget stays as it begins` }];
}

/** Options of the environment that every level sets. */
function replacedOptions(one: TaggedSpec): InertOption[] {
  const [first, ...others] = one.curriculum?.levels ?? [];
  return Object.keys(first?.environment ?? {})
    .filter((key) => others.every(({ environment }) => Object.hasOwn(environment, key)))
    .map((key) => ({
      path: `${sectionOf(one)}environment.${key}`,
      reason: 'every level of the curriculum has its own',
    }));
}
