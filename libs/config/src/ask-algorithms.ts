/** @file What a run asks of its algorithms as a whole: that of the run, or those of its tags. */
import type { RunSpec, runSpecSchema } from '@espalier/contracts';
import { listTrained, shareGroups } from '@espalier/contracts/mixing';
import type { z } from 'zod';
import { filteredCount, type GroupSelection } from './filter-budgets.js';
import type { ResolvedPlugin } from './plugin-options.js';
import type { ConfigurableAlgorithm } from './registry.js';
import { selectOptionsOf } from './resolve-environments.js';

type CoreSpec = z.output<typeof runSpecSchema>;

/** Groups of each tag that an algorithm keeps of a step; undefined without tags. */
export function countKeptGroups(
  spec: Pick<RunSpec, 'environments' | 'rollout' | 'mixing' | 'filter'>,
  algorithmOf: (tag: string) => ResolvedPlugin,
): ReadonlyMap<string, { readonly groups: number; readonly kept: number }> | undefined {
  if (spec.environments === undefined) return undefined;
  return new Map(
    [...shareGroups(spec)].map(([tag, groups]) => {
      const algorithm = algorithmOf(tag);
      const { keptShare } = algorithm.plugin as ConfigurableAlgorithm;
      const { select } = spec.environments?.[tag] ?? {};
      const share = keptShare(selectOptionsOf(algorithm, select));
      const filter = spec.filter && { ...spec.filter, ...(select?.['filter'] as object | undefined) };
      return [tag, { groups, kept: filteredCount(Math.floor(share * groups + 1e-9), filter) }];
    }),
  );
}

/** What the algorithm of each tag itself does with its groups. */
export function describeSelections(
  spec: RunSpec,
  algorithmOf: (tag: string | undefined) => ResolvedPlugin,
): GroupSelection[] {
  return listTrained(spec).map(({ tag, select }) => {
    const algorithm = algorithmOf(tag);
    const options = selectOptionsOf(algorithm, select);
    const { id, keptShare, resample } = algorithm.plugin as ConfigurableAlgorithm;
    return {
      name: tag === undefined ? id : `${id} (of ${tag})`,
      keptShare: keptShare(options),
      resample: resample?.(options) ?? 0,
    };
  });
}

/** Groups of a step whose algorithm compares them with a greedy trajectory. */
export function countGreedyGroups(
  spec: Pick<RunSpec, 'environments' | 'rollout' | 'mixing'>,
  algorithmOf: (tag: string) => ResolvedPlugin,
): number {
  const shares =
    spec.environments === undefined ? [['', spec.rollout.promptsPerStep] as const] : [...shareGroups(spec)];
  return shares.reduce((sum, [tag, groups]) => {
    const { plugin, options } = algorithmOf(tag);
    return sum + ((plugin as ConfigurableAlgorithm).needs(options).greedyBaseline === true ? groups : 0);
  }, 0);
}

/** How losses are averaged where the run does not say: as all its algorithms do, or by tokens where they differ. */
export function chooseAggregation(
  { environments }: CoreSpec,
  algorithmOf: (tag: string) => ResolvedPlugin,
): RunSpec['update']['lossAggregation'] {
  const wanted = Object.keys(environments ?? { '': undefined }).map(
    (tag) => (algorithmOf(tag).plugin as ConfigurableAlgorithm).lossAggregation,
  );
  const [first] = wanted;
  return (wanted.every((one) => one === first) ? first : undefined) ?? 'token-mean';
}

/** How often the algorithm replaces dropped groups, in the tag that asks for it most often. */
export function countResampling(
  { environments }: CoreSpec,
  algorithmOf: (tag: string) => ResolvedPlugin,
): number {
  const sections = environments === undefined ? [['', undefined] as const] : Object.entries(environments);
  return Math.max(
    ...sections.map(([tag, own]) => {
      const algorithm = algorithmOf(tag);
      const { resample } = algorithm.plugin as ConfigurableAlgorithm;
      return resample?.(selectOptionsOf(algorithm, own?.select)) ?? 0;
    }),
  );
}
