/**
 * @file The environments of a run, one by one. A run in several environments is seen as one run per tag, each with the
 * environment, rewards and budgets that hold for it; a run in one environment has no tag. With a curriculum, each level
 * is seen as one run as well.
 */
import type { CurriculumSpec } from './curriculum-options.js';
import type { RunSpec } from './run-spec.js';
import { canonicalJson } from './values.js';

export { rolloutAt } from './horizon.js';
export { type CurriculumSpec, type HorizonSpec, maxLevels } from './curriculum-options.js';
export { maxTags, tagForm } from './mixing-options.js';

/** An environment with where it runs and its options. */
export type ChosenEnvironment = NonNullable<RunSpec['environment']>;

/** A run spec in one environment. */
export type SingleSpec = RunSpec & { readonly environment: ChosenEnvironment };

/** One environment of a run. */
export interface TaggedSpec {
  /** undefined: the only environment of the run */
  readonly tag: string | undefined;
  /** where the environment stands in the run's spec, e.g. `environments.lake.environment` */
  readonly path: string;
  /** whether the run learns from it */
  readonly trained: boolean;
  /** the run as if it had only this environment: `rollout.promptsPerStep` are its groups; with a curriculum at its last level */
  readonly spec: SingleSpec;
  /** options of the algorithm for choosing groups of this tag */
  readonly select: Readonly<Record<string, unknown>>;
  readonly curriculum?: CurriculumSpec | undefined;
  /** the same at each level of the curriculum */
  readonly levels?: readonly SingleSpec[];
  /** the level of `spec`, from 1 */
  readonly level?: number;
}

const budgetKeys = ['maxTurns', 'maxActions', 'maxActionsPerTurn', 'maxResponseTokens'] as const;

/** Lists the environments that a run trains in, in the order of its groups. */
export function listTrained(spec: RunSpec): readonly TaggedSpec[] {
  if (spec.environments === undefined) {
    const only = { tag: undefined, path: 'environment', trained: true, select: {} };
    return [withLevels({ ...only, spec: onlyEnvironment(spec) }, spec.curriculum)];
  }
  const groups = shareGroups(spec);
  return Object.entries(spec.environments).map(([tag, own]) => {
    const path = `environments.${tag}.environment`;
    const share = { ...own, promptsPerStep: groups.get(tag) ?? 0 };
    const single = {
      ...singleSpec(spec, own.environment, share),
      algorithm: own.algorithm ?? spec.algorithm,
    };
    return withLevels({ tag, path, trained: true, spec: single, select: own.select ?? {} }, own.curriculum);
  });
}

/** The critics that a run trains: as many as the algorithm that asks for most; 0 where none has one. */
export const countCritics = (
  needs: readonly { readonly critic: boolean; readonly critics?: number }[],
): number => Math.max(0, ...needs.map(({ critic, critics = 1 }) => (critic ? critics : 0)));

/** An algorithm of a run. */
export interface TaggedAlgorithm {
  /** whose it is alone; undefined: that of the run */
  readonly tag: string | undefined;
  /** where it stands in the run's spec, e.g. `environments.lake.algorithm` */
  readonly path: string;
  readonly chosen: RunSpec['algorithm'];
}

/** Lists the algorithms that learn from something: that of the run unless every tag has its own, then those of tags. */
export function listAlgorithms({ algorithm, environments = {} }: RunSpec): readonly TaggedAlgorithm[] {
  const tags = Object.entries(environments);
  const own = tags.flatMap(([tag, { algorithm: chosen }]) =>
    chosen === undefined ? [] : [{ tag, path: `environments.${tag}.algorithm`, chosen }],
  );
  const isShared = own.length === 0 || own.length < tags.length;
  return [...(isShared ? [{ tag: undefined, path: 'algorithm', chosen: algorithm }] : []), ...own];
}

/** Lists an environment at each level of its curriculum, easiest first; without one, as it is. */
export function listLevels(one: TaggedSpec): readonly TaggedSpec[] {
  const { levels, path } = one;
  if (levels === undefined) return [one];
  return levels.map((spec, index) => ({
    ...one,
    spec,
    level: index + 1,
    path: path.replace(/environment$/, `curriculum.levels.${index}.environment`),
  }));
}

/** An environment with a curriculum, at its last level. */
function withLevels(one: TaggedSpec, curriculum: CurriculumSpec | undefined): TaggedSpec {
  if (curriculum === undefined) return one;
  const levels = curriculum.levels.map(({ environment, ...own }) =>
    singleSpec(one.spec, { ...one.spec.environment, ...environment }, own),
  );
  return { ...one, curriculum, levels, level: levels.length, spec: levels.at(-1) ?? one.spec };
}

/**
 * Lists the environments that a run validates in: those it trains in, at the last level of a curriculum, then the
 * others. With `validation.levels: all`, earlier levels are tags of their own.
 */
export function listValidated(spec: RunSpec): readonly TaggedSpec[] {
  const also = spec.validation.environments ?? {};
  const trained = listTrained(spec).map((one): TaggedSpec => {
    const own = one.tag === undefined || !Object.hasOwn(also, one.tag) ? undefined : also[one.tag];
    if (own === undefined) return one;
    const change = (level: SingleSpec): SingleSpec => singleSpec(level, level.environment, own);
    const levels = one.levels === undefined ? {} : { levels: one.levels.map(change) };
    return { ...one, ...levels, spec: change(one.spec) };
  });
  const earlier = spec.validation.levels === 'all' ? trained.flatMap(earlierLevels) : [];
  const others = Object.entries(also).flatMap(([tag, own]): TaggedSpec[] => {
    if (own.environment === undefined) return [];
    const path = `validation.environments.${tag}.environment`;
    return [{ tag, path, trained: false, spec: singleSpec(spec, own.environment, own), select: {} }];
  });
  return [...trained, ...earlier, ...others];
}

/** The levels before the last, each with a tag of its own: `level-1`, `lake-level-1`. */
function earlierLevels(one: TaggedSpec): readonly TaggedSpec[] {
  return listLevels(one)
    .slice(0, -1)
    .map(({ levels: _levels, curriculum: _curriculum, ...level }) => ({
      ...level,
      trained: false,
      tag: `${one.tag === undefined ? '' : `${one.tag}-`}level-${level.level}`,
    }));
}

/** Lists every environment of a run once, and each of its levels: the trained ones, then those that are only validated. */
export function listEnvironments(spec: RunSpec): readonly TaggedSpec[] {
  const others = listValidated(spec).filter(({ trained, level }) => !trained && level === undefined);
  return [...listTrained(spec).flatMap(listLevels), ...others];
}

/** The options of an environment that its states may depend on: all but where it runs, as plugins tell no more. */
export function identifyEnvironment({
  isolation: _isolation,
  callTimeoutMs: _timeout,
  ...chosen
}: ChosenEnvironment): string {
  return canonicalJson(chosen);
}

/** The environments of a run in one line: `lake (frozen-lake) + bandit`. */
export function describeEnvironments(spec: RunSpec): string {
  if (spec.environments === undefined) return spec.environment?.use ?? '';
  return Object.entries(spec.environments)
    .map(
      ([
        tag,
        {
          environment: { use },
        },
      ]) => (tag === use ? use : `${tag} (${use})`),
    )
    .join(' + ');
}

/** The algorithms of a run in one line: `grpo`, or `grpo + ppo (boxes)` where a tag has its own. */
export function describeAlgorithms(spec: RunSpec): string {
  return listAlgorithms(spec)
    .map(({ tag, chosen: { use } }) => (tag === undefined ? use : `${use} (${tag})`))
    .join(' + ');
}

/** The spec itself, but for the other environments that it validates in. */
function onlyEnvironment(spec: RunSpec): SingleSpec {
  const environment = spec.environment as ChosenEnvironment;
  const validated = (spec.validation as RunSpec['validation'] | undefined)?.environments;
  const isPlain = validated === undefined && spec.curriculum === undefined;
  return isPlain ? { ...spec, environment } : singleSpec(spec, environment, {});
}

type OwnOptions = {
  readonly [Key in (typeof budgetKeys)[number] | 'promptsPerStep']?: number | undefined;
} & {
  readonly rewards?: RunSpec['rewards'] | undefined;
  readonly horizon?: RunSpec['rollout']['horizon'];
  readonly episodes?: number | undefined;
};

function singleSpec(spec: RunSpec, environment: ChosenEnvironment, own: OwnOptions): SingleSpec {
  const { environments: _environments, mixing: _mixing, curriculum: _curriculum, ...rest } = spec;
  const { environments: _validated, ...validation } = spec.validation;
  const budgets = Object.fromEntries(
    [...budgetKeys, 'promptsPerStep' as const].flatMap((key) =>
      own[key] === undefined ? [] : [[key, own[key]]],
    ),
  );
  return {
    ...rest,
    environment,
    rewards: own.rewards ?? spec.rewards,
    rollout: { ...spec.rollout, ...budgets, ...(own.horizon === undefined ? {} : { horizon: own.horizon }) },
    validation: { ...validation, episodes: own.episodes ?? validation.episodes },
  };
}

/** What determines the groups of each tag. */
interface Shares {
  readonly environments?:
    | Readonly<Record<string, { readonly groups?: number | undefined; readonly weight?: number | undefined }>>
    | undefined;
  readonly rollout: { readonly promptsPerStep: number };
}

/**
 * Gives the groups of each tag: as stated, or rollout.promptsPerStep shared by weight. Rounding gives what is left over
 * to the largest remainders (Hamilton's method), the first tag first.
 */
export function shareGroups({ environments = {}, rollout }: Shares): ReadonlyMap<string, number> {
  const tags = Object.entries(environments);
  if (tags.some(([, { groups }]) => groups !== undefined))
    return new Map(tags.map(([tag, { groups = 0 }]) => [tag, groups]));
  const total = tags.reduce((sum, [, { weight = 1 }]) => sum + weight, 0);
  const quotas = tags.map(([tag, { weight = 1 }]) => {
    const exact = (rollout.promptsPerStep * weight) / total;
    const whole = Math.floor(exact + 1e-9);
    return { tag, whole, rest: exact - whole };
  });
  const left = rollout.promptsPerStep - quotas.reduce((sum, { whole }) => sum + whole, 0);
  const first = new Set([...quotas].sort((a, b) => b.rest - a.rest).slice(0, left));
  return new Map(quotas.map((quota) => [quota.tag, quota.whole + Number(first.has(quota))]));
}
