/**
 * @file The environments of a run, one by one. A run in several environments is seen as one run per tag, each with the
 * environment, rewards and budgets that hold for it; a run in one environment has no tag.
 */
import type { RunSpec } from './run-spec.js';

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
  /** the run as if it had only this environment: `rollout.promptsPerStep` are its groups */
  readonly spec: SingleSpec;
  /** options of the algorithm for choosing groups of this tag */
  readonly select: Readonly<Record<string, unknown>>;
}

const budgetKeys = ['maxTurns', 'maxActions', 'maxActionsPerTurn', 'maxResponseTokens'] as const;

/** Lists the environments that a run trains in, in the order of its groups. */
export function listTrained(spec: RunSpec): readonly TaggedSpec[] {
  if (spec.environments === undefined)
    return [{ tag: undefined, path: 'environment', trained: true, spec: onlyEnvironment(spec), select: {} }];
  const groups = shareGroups(spec);
  return Object.entries(spec.environments).map(([tag, own]) => ({
    tag,
    path: `environments.${tag}.environment`,
    trained: true,
    spec: singleSpec(spec, own.environment, { ...own, promptsPerStep: groups.get(tag) ?? 0 }),
    select: own.select ?? {},
  }));
}

/** Lists the environments that a run validates in: those it trains in, then the others. */
export function listValidated(spec: RunSpec): readonly TaggedSpec[] {
  const also = spec.validation.environments ?? {};
  const trained = listTrained(spec).map((one): TaggedSpec => {
    const own = one.tag === undefined || !Object.hasOwn(also, one.tag) ? undefined : also[one.tag];
    return own === undefined ? one : { ...one, spec: singleSpec(one.spec, one.spec.environment, own) };
  });
  const others = Object.entries(also).flatMap(([tag, own]): TaggedSpec[] => {
    if (own.environment === undefined) return [];
    const path = `validation.environments.${tag}.environment`;
    return [{ tag, path, trained: false, spec: singleSpec(spec, own.environment, own), select: {} }];
  });
  return [...trained, ...others];
}

/** Lists every environment of a run once: the trained ones, then those that are only validated. */
export function listEnvironments(spec: RunSpec): readonly TaggedSpec[] {
  return [...listTrained(spec), ...listValidated(spec).filter(({ trained }) => !trained)];
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

/** The spec itself, but for the other environments that it validates in. */
function onlyEnvironment(spec: RunSpec): SingleSpec {
  const environment = spec.environment as ChosenEnvironment;
  const validated = (spec.validation as RunSpec['validation'] | undefined)?.environments;
  return validated === undefined ? { ...spec, environment } : singleSpec(spec, environment, {});
}

type OwnOptions = {
  readonly [Key in (typeof budgetKeys)[number] | 'promptsPerStep']?: number | undefined;
} & {
  readonly rewards?: RunSpec['rewards'] | undefined;
  readonly episodes?: number | undefined;
};

function singleSpec(spec: RunSpec, environment: ChosenEnvironment, own: OwnOptions): SingleSpec {
  const { environments: _environments, mixing: _mixing, ...rest } = spec;
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
    rollout: { ...spec.rollout, ...budgets },
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
