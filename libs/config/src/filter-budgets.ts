/**
 * @file What contradicts a filter of groups, or replacing those that it drops; and how many groups it keeps.
 */
import type { RunSpec } from '@espalier/contracts';
import type { GroupFilterSpec } from '@espalier/contracts/group-filter';
import type { Finding } from './budgets.js';
import type { CheckedEnvironment, InertOption } from './inert.js';

/** Groups kept of a step, as far as options tell; what a score decides counts as kept. */
export function filteredCount(groups: number, filter: GroupFilterSpec | undefined): number {
  if (filter?.kind === 'ratio')
    return Math.min(groups, Math.max(1, Math.floor(filter.value * groups + 1e-9)));
  return filter?.kind === 'top-k' ? Math.min(groups, filter.value) : groups;
}

/** The filter of a tag: that of the run, with what differs. */
const filterOf = (filter: GroupFilterSpec, { select }: CheckedEnvironment): GroupFilterSpec => ({
  ...filter,
  ...(select['filter'] as Partial<GroupFilterSpec> | undefined),
});

/** What an algorithm itself does with the groups of its tag. */
export interface GroupSelection {
  /** the algorithm, and the tag where there are any */
  readonly name: string;
  /** of the groups */
  readonly keptShare: number;
  /** how often it replaces groups that were dropped, where the run does not say */
  readonly resample: number;
}

interface Selections {
  readonly selections: readonly GroupSelection[];
  readonly isWritten: (path: string) => boolean;
}

/** Lists what contradicts the filter, and the replacement of groups. */
export function filterBudgets(
  spec: RunSpec,
  environments: readonly CheckedEnvironment[],
  given: Selections,
): Finding[] {
  const { filter } = spec;
  const trained = environments.filter((one) => one.trained);
  const own = filter === undefined ? [] : trained.map((one) => ({ one, filter: filterOf(filter, one) }));
  return [
    ...(filter === undefined ? [] : comparisonBudgets(spec, given)),
    ...own.flatMap(({ one, filter: { noiseSeeds } }) => (noiseSeeds === 0 ? [] : noiseBudgets(spec, one))),
    ...resampleBudgets(
      spec,
      own.map((each) => each.filter),
      given,
    ),
  ];
}

/** A filter compares the trajectories of a group, and is the only one that ranks. */
function comparisonBudgets({ rollout }: RunSpec, { selections }: Selections): Finding[] {
  const found: Finding[] = [];
  if (rollout.groupSize === 1)
    found.push([
      'filter',
      'filter: rollout.groupSize is 1, and one trajectory has nothing to differ from; choose at least 2, or remove filter',
    ]);
  const choosy = selections.find(({ keptShare }) => keptShare < 1);
  if (choosy !== undefined)
    found.push([
      'filter',
      `filter: ${choosy.name} itself keeps only a share of the groups, so two filters would rank the same groups; let it keep all (keepRatio: 1), or remove filter`,
    ]);
  return found;
}

/** Repeated actions differ only where noise does, and tell only of the environment's return. */
function noiseBudgets({ rollout, environments }: RunSpec, one: CheckedEnvironment): Finding[] {
  const at = environments === undefined ? 'filter.noiseSeeds' : `filter.noiseSeeds of ${one.tag}`;
  const { plugin, options } = one.environment;
  const finding = (sentence: string): Finding[] => [['filter.noiseSeeds', `${at}: ${sentence}`]];
  if (rollout.noiseSeed === 'per-group')
    return finding(
      'rollout.noiseSeed is per-group, so all trajectories of a group have the same noise and nothing is to be taken off; set it to per-trajectory, or noiseSeeds to 0',
    );
  const { use } = one.spec.environment;
  if (environments === undefined && plugin.reads?.(options).noise === false)
    return finding(
      `with these options ${use} is deterministic after the first observation, so nothing is to be taken off; set it to 0`,
    );
  const weight = one.spec.rewards.some(
    (reward) => reward.use === 'environment-return' && reward.weight !== 0,
  );
  if (!weight)
    return finding(
      `${one.path.replace(/environment$/, 'rewards')} has no environment-return with a weight, and repeated actions earn nothing else; add it, or set noiseSeeds to 0`,
    );
  return [];
}

/** Only where each group is judged on its own can a batch become full. */
function resampleBudgets(
  { rollout }: RunSpec,
  filters: readonly GroupFilterSpec[],
  { selections, isWritten }: Selections,
): Finding[] {
  const { resample = 0 } = rollout;
  if (resample === 0) return [];
  const asked = isWritten('rollout.resample')
    ? undefined
    : selections.find((one) => one.resample === resample);
  const at = `rollout.resample ${resample}${asked === undefined ? '' : `, which ${asked.name} sets`}`;
  const ranking = filters.find(
    ({ kind, value }) => kind !== 'absolute' && !(kind === 'ratio' && value === 1),
  );
  if (ranking !== undefined)
    return [
      [
        'rollout.resample',
        `${at}: filter.kind ${ranking.kind} ranks groups against each other and always drops some, so a batch would never be full; choose absolute, or ratio with value 1, or resample: 0`,
      ],
    ];
  const choosy = selections.find(({ keptShare }) => keptShare < 1);
  if (choosy !== undefined)
    return [
      [
        'rollout.resample',
        `${at}: ${choosy.name} keeps only a share of the groups, so a batch would never be full; let it keep all (keepRatio: 1), or set resample to 0`,
      ],
    ];
  return [];
}

/** A filter, or its number, where no step has a group that it could drop. */
export function filterInert(spec: RunSpec, environments: readonly CheckedEnvironment[]): InertOption[] {
  const { filter, rollout, mixing } = spec;
  if (filter === undefined) return [];
  const isTogether = spec.environments === undefined || mixing?.compare === 'together';
  const judged = isTogether
    ? [{ filter, groups: rollout.promptsPerStep }]
    : environments
        .filter(({ trained }) => trained)
        .map((one) => ({ filter: filterOf(filter, one), groups: one.spec.rollout.promptsPerStep }));
  if (judged.every(({ filter: own, groups }) => keepsAll(own, groups)))
    return [
      {
        path: 'filter',
        reason: `with zeros: keep it keeps every group of a step; ${filter.kind === 'absolute' ? 'raise' : 'lower'} filter.value`,
      },
    ];
  if (!judged.every(({ filter: own, groups }) => own.kind === 'top-k' && own.value >= groups)) return [];
  const most = Math.max(...judged.map(({ groups }) => groups));
  return [
    {
      path: 'filter.value',
      reason: `a step has only ${most} ${most === 1 ? 'group' : 'groups'}, so that all whose totals differ are kept`,
    },
  ];
}

/** Nothing is dropped, and nothing counts less. */
function keepsAll({ kind, value, zeros, reweight }: GroupFilterSpec, groups: number): boolean {
  if (zeros === 'drop' || reweight !== 'none') return false;
  if (kind === 'top-k') return value >= groups;
  if (kind === 'absolute') return value === 0;
  return value === 1 && (kind === 'ratio' || kind.startsWith('top-p'));
}
