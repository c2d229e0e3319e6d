/**
 * @file The environments of a run configuration: one, or several by tag, trained or only validated. Finds their plugins
 * and completes their sections.
 */
import type { RunSpec, runSpecSchema } from '@espalier/contracts';
import { groupFilter } from '@espalier/contracts/group-filter';
import { type ChosenEnvironment, maxTags } from '@espalier/contracts/mixing';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { isRecord } from '@espalier/contracts/values';
import type { z } from 'zod';
import { isolationKeys, isolationOf } from './isolation.js';
import { completeCurriculum, limitKeys, resolveLevels } from './resolve-curriculum.js';
import { joinPath, quote } from './json.js';
import type { ConfigInput } from './load-config.js';
import { resolvePlugin, type ResolvedPlugin } from './plugin-options.js';
import { expectation, locate, type Problem } from './problems.js';
import { limitsOf } from './presets.js';
import type { ConfigurableAlgorithm, PluginRegistry } from './registry.js';
import type { Section } from './sections.js';

type CoreSpec = z.output<typeof runSpecSchema>;
type Written = Readonly<Record<string, unknown>>;

/** Resolves the environment of every section and of its levels, by its path. */
export function resolveEnvironments(
  written: ConfigInput,
  sections: readonly Section[],
  registry: PluginRegistry,
  problems: Problem[],
): Map<string, ResolvedPlugin> {
  const found = new Map<string, ResolvedPlugin>();
  for (const section of sections) {
    const { path, value } = section;
    const chosen = value['environment'];
    if (!isRecord(chosen) || typeof chosen['use'] !== 'string') continue;
    const at = [...path, 'environment'];
    const before = problems.length;
    const choice = { kind: 'environment' as const, path: at, chosen: { ...chosen, use: chosen['use'] } };
    found.set(
      joinPath(at),
      resolvePlugin(written, registry, { ...choice, coreKeys: isolationKeys }, problems),
    );
    // what is wrong with the environment would be reported at every level again
    if (problems.length > before) continue;
    for (const [level, plugin] of resolveLevels(written, section, registry, problems))
      found.set(level, plugin);
  }
  return found;
}

/** Finds what is wrong with the environments as a whole, before anything is derived from them. */
export function findEnvironmentProblems(
  written: ConfigInput,
  core: CoreSpec | undefined,
  algorithmOf: (tag: string) => ResolvedPlugin,
): Problem[] {
  const { environment, environments, mixing, curriculum, validation } = written.value;
  const findings: (readonly [code: Problem['code'], path: string, sentence: string])[] = [];
  if (environment === undefined && environments === undefined)
    findings.push([
      'config.wrong_type',
      'environment',
      'environment is missing; expected type object: { use: … }, or `environments` with a tag for each',
    ]);
  if (environment !== undefined && environments !== undefined)
    findings.push([
      'config.wrong_type',
      'environments',
      'environment and environments are both set; remove one: a run has one environment, or one for each tag',
    ]);
  if (environments === undefined && mixing !== undefined)
    findings.push([
      'config.wrong_type',
      'mixing',
      'mixing has an effect with `environments` only; remove it',
    ]);
  if (environments !== undefined && curriculum !== undefined)
    findings.push([
      'config.wrong_type',
      'curriculum',
      'curriculum is that of the one `environment`; with `environments`, write it below a tag: environments.<tag>.curriculum',
    ]);
  const trained = isRecord(environments) ? environments : {};
  const validated =
    isRecord(validation) && isRecord(validation['environments']) ? validation['environments'] : {};
  const tags = [...new Set([...Object.keys(trained), ...Object.keys(validated)])];
  if (tags.length > maxTags)
    findings.push([
      'config.wrong_type',
      isRecord(environments) ? 'environments' : 'validation.environments',
      `${tags.length} tags are trained or validated; at most ${maxTags} are possible`,
    ]);
  for (const [tag, own] of Object.entries(validated)) {
    const finding = findValidationProblem(
      tag,
      isRecord(own) && own['environment'] !== undefined,
      Object.keys(trained),
    );
    if (finding !== undefined)
      findings.push(['config.unknown_key', `validation.environments.${tag}`, finding]);
  }
  if (core !== undefined)
    findings.push(...findSelectProblems(core, algorithmOf), ...findSharedAlgorithms(core));
  return findings.map(([code, path, sentence]) => ({
    code,
    path,
    message: `${locate(written, path)}: ${sentence}`,
  }));
}

function findValidationProblem(tag: string, hasOwn: boolean, trained: readonly string[]): string | undefined {
  const at = `validation.environments.${tag}`;
  if (Object.hasOwn(Object.fromEntries(trained.map((name) => [name, true])), tag))
    return hasOwn
      ? `${at}: ${tag} is trained and validated in its own environment; choose another tag for another environment`
      : undefined;
  if (hasOwn) return undefined;
  const near = nearestKey(tag, trained);
  const remedy = near === undefined ? `trained are ${trained.join(', ') || 'none'}` : `did you mean ${near}?`;
  return `${at}: no trained environment has the tag ${tag}; ${remedy} A tag that is not trained needs an \`environment\``;
}

/** Options in `select` must be those with which the algorithm chooses groups. */
function findSelectProblems(
  core: CoreSpec,
  algorithmOf: (tag: string) => ResolvedPlugin,
): (readonly [Problem['code'], string, string])[] {
  return Object.entries(core.environments ?? {}).flatMap(([tag, { select = {}, algorithm: own }]) => {
    const algorithm = algorithmOf(tag);
    const { plugin } = algorithm;
    const known = (plugin as ConfigurableAlgorithm | undefined)?.selectOptions ?? [];
    return Object.keys(select).flatMap((name): (readonly [Problem['code'], string, string])[] => {
      const path = `environments.${tag}.select.${name}`;
      const shared = findSharedProblem(core, path);
      if (name === 'filter') return [...findFilterProblems(core, path, select[name]), ...shared];
      if (own !== undefined)
        return [
          [
            'config.wrong_type',
            path,
            `${path}: ${tag} has an algorithm of its own; write its options there, environments.${tag}.algorithm.${name}`,
          ],
        ];
      if (!known.includes(name)) {
        const near = nearestKey(name, known);
        const list = known.length === 0 ? 'it has none' : `these are ${known.join(', ')}`;
        const remedy = near === undefined ? list : `did you mean ${near}?`;
        return [
          [
            'config.unknown_key',
            path,
            `${path}: ${name} is no option with which ${core.algorithm.use} chooses groups; ${remedy}`,
          ],
        ];
      }
      const { options = {} } = algorithm;
      const checked = plugin?.params.safeParse({ ...options, [name]: select[name] });
      if (checked?.success === false) {
        const [issue] = checked.error.issues;
        return [
          [
            'config.wrong_type',
            path,
            `${path} is ${quote(select[name])}; ${issue === undefined ? 'expected another value' : expectation(issue)}`,
          ],
        ];
      }
      return shared;
    });
  });
}

/** Where trajectories of all tags are compared with each other, one algorithm compares them. */
const findSharedAlgorithms = ({ mixing, environments = {} }: CoreSpec): Finding[] =>
  Object.entries(environments).flatMap(([tag, { algorithm }]): Finding[] =>
    algorithm === undefined || mixing?.compare !== 'together'
      ? []
      : [
          [
            'config.impossible_budget',
            `environments.${tag}.algorithm`,
            `environments.${tag}.algorithm: mixing.compare is together, so one algorithm compares the trajectories of all tags; set it to per-tag, or remove the algorithm`,
          ],
        ],
  );

type Finding = readonly [code: Problem['code'], path: string, sentence: string];

const findSharedProblem = ({ mixing }: CoreSpec, path: string): Finding[] =>
  mixing?.compare === 'together'
    ? [
        [
          'config.impossible_budget',
          path,
          `${path}: mixing.compare is together, so all tags share one choice of groups; set it to per-tag, or remove select`,
        ],
      ]
    : [];

/** What a tag changes of the filter must make a filter with the rest of it. */
function findFilterProblems({ filter }: CoreSpec, path: string, own: unknown): Finding[] {
  if (filter === undefined)
    return [
      [
        'config.impossible_budget',
        path,
        `${path}: the run has no filter of which a tag could have its own options; set \`filter\``,
      ],
    ];
  const checked = groupFilter.safeParse(isRecord(own) ? { ...filter, ...own } : own);
  if (checked.success) return [];
  const [issue] = checked.error.issues;
  if (issue?.code === 'unrecognized_keys') return issue.keys.map((key) => unknownFilterOption(path, key));
  const at = [path, ...(issue?.path ?? [])].join('.');
  return [
    [
      'config.wrong_type',
      at,
      `${path} is ${quote(own)}; ${issue === undefined ? 'expected another value' : `${expectation(issue)}${issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`}`}`,
    ],
  ];
}

function unknownFilterOption(path: string, key: string): Finding {
  const valid = Object.keys(groupFilter.shape);
  const near = nearestKey(key, valid);
  const remedy = near === undefined ? `valid here: ${valid.join(', ')}` : `did you mean ${near}?`;
  return ['config.unknown_key', `${path}.${key}`, `unknown key ${path}.${key}; ${remedy}`];
}

/** The options of the algorithm for choosing groups of a tag. */
export function selectOptionsOf({ plugin, options }: ResolvedPlugin, written: Written = {}): unknown {
  const { filter: _filter, ...select } = written;
  const parsed = plugin?.params.safeParse({ ...options, ...select });
  return parsed?.success === true ? parsed.data : options;
}

/** The environments of a run, complete. */
export interface CompleteEnvironments {
  readonly parts: Pick<RunSpec, 'environment' | 'environments' | 'mixing' | 'curriculum'>;
  readonly validated: RunSpec['validation']['environments'];
  readonly limits: Pick<RunSpec['rollout'], (typeof limitKeys)[number]>;
  readonly promptsPerStep: number;
  readonly derivedPaths: readonly string[];
}

/** The options of a tag that the run, or its environment, has defaults for. */
type OwnSection = { readonly [Key in (typeof limitKeys)[number]]?: number | undefined } & {
  readonly rewards?: CoreSpec['rewards'] | undefined;
  readonly curriculum?: CoreSpec['curriculum'];
  readonly algorithm?: CoreSpec['algorithm'] | undefined;
};

/** Completes the sections of all environments: options, where they run, limits of their episodes. */
export function completeEnvironments(
  core: CoreSpec,
  resolved: ReadonlyMap<string, ResolvedPlugin>,
  {
    registry,
    completeRewards,
    algorithmOf,
    hasPrompts,
  }: {
    readonly registry: PluginRegistry;
    readonly completeRewards: (rewards: CoreSpec['rewards'], path: string) => CoreSpec['rewards'];
    readonly algorithmOf: (tag: string) => ResolvedPlugin;
    /** rollout.promptsPerStep was written */
    readonly hasPrompts: boolean;
  },
): CompleteEnvironments {
  const complete = (chosen: ChosenEnvironment, path: string): ChosenEnvironment => ({
    use: chosen.use,
    ...isolationOf('environment', chosen, registry),
    ...resolved.get(path)?.options,
  });
  const limitsAt = (path: string) => limitsOf(resolved.get(path) ?? { plugin: undefined, options: {} });
  /** a limit is that of the tag, else of the run, else of the environment */
  const section = <Own extends OwnSection>(own: Own, path: string): Own => {
    const limits = limitsAt(`${path}.environment`);
    const filled = limitKeys.flatMap((key) =>
      own[key] === undefined && core.rollout[key] === undefined ? [[key, limits[key]]] : [],
    );
    const { rewards, curriculum } = own;
    return {
      ...own,
      ...completeCurriculum(curriculum, `${path}.`, resolved, { ...definedLimits(core.rollout), ...own }),
      ...(Object.fromEntries(filled) as Partial<Own>),
      ...(rewards === undefined ? {} : { rewards: completeRewards(rewards, `${path}.rewards`) }),
    };
  };
  const validated = mapValues(core.validation.environments, (own, tag) => {
    const path = `validation.environments.${tag}`;
    if (own.environment === undefined)
      return own.rewards === undefined
        ? own
        : { ...own, rewards: completeRewards(own.rewards, `${path}.rewards`) };
    return { ...section(own, path), environment: complete(own.environment, `${path}.environment`) };
  });
  const environments = mapValues(core.environments, (own, tag) => {
    const path = `environments.${tag}`;
    const environment = complete(own.environment, `${path}.environment`);
    return { ...section(own, path), ...ownAlgorithm(own, algorithmOf(tag)), environment };
  });
  if (environments === undefined) {
    const environment = complete(core.environment as ChosenEnvironment, 'environment');
    const limits = { ...limitsAt('environment'), ...definedLimits(core.rollout) };
    const { maxTurns, maxActions, maxActionsPerTurn } = limits;
    return {
      parts: { environment, ...completeCurriculum(core.curriculum, '', resolved, core.rollout) },
      validated,
      limits: { maxTurns, maxActions, maxActionsPerTurn },
      promptsPerStep: core.rollout.promptsPerStep,
      derivedPaths: [],
    };
  }
  const largest = (key: (typeof limitKeys)[number]): number =>
    Math.max(...Object.values(environments).map((own) => own[key] ?? core.rollout[key] ?? 1));
  const stated = Object.values(environments).reduce((sum, { groups = 0 }) => sum + groups, 0);
  const isDerived = !hasPrompts && stated > 0;
  return {
    parts: { environments, mixing: core.mixing ?? { compare: 'per-tag' } },
    validated,
    limits: {
      maxTurns: core.rollout.maxTurns ?? largest('maxTurns'),
      maxActions: core.rollout.maxActions ?? largest('maxActions'),
      maxActionsPerTurn: core.rollout.maxActionsPerTurn ?? largest('maxActionsPerTurn'),
    },
    promptsPerStep: isDerived ? stated : core.rollout.promptsPerStep,
    derivedPaths: [
      ...(isDerived ? ['rollout.promptsPerStep'] : []),
      ...limitKeys.filter((key) => core.rollout[key] === undefined).map((key) => `rollout.${key}`),
    ],
  };
}

const ownAlgorithm = ({ algorithm }: Pick<OwnSection, 'algorithm'>, { options }: ResolvedPlugin) =>
  algorithm === undefined ? {} : { algorithm: { use: algorithm.use, ...options } };

const definedLimits = (rollout: CoreSpec['rollout']): Partial<CompleteEnvironments['limits']> =>
  Object.fromEntries(limitKeys.flatMap((key) => (rollout[key] === undefined ? [] : [[key, rollout[key]]])));

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>> | undefined,
  map: (value: Value, key: string) => Result,
): Record<string, Result> | undefined {
  if (record === undefined) return undefined;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
